-- SPDX-License-Identifier: GPL-2.0
--
-- What --tg-mem and --tg-reserve mean to Slurm: GRES that the job asks for on each node, tgmem in MiB
-- and tgtime in percent. srun, sbatch and salloc call this before they send a job (cli_filter/lua).
-- The plugin has checked the options' words, but for those that a user sets by hand as variables.
--
-- A site that has a cli_filter.lua of its own keeps it, loads this file from there, and calls timegraph_gres():
--	dofile("/usr/share/timegraph/slurm/cli_filter.lua")

local function of_plugin(options, name)
	local spank = options["spank"]
	local ours = spank and spank["timegraph"]

	return ours and ours[name]
end

local function mib(word)
	local number, unit = string.match(word, "^(%d+)([MG])$")

	return number and tonumber(number) * (unit == "G" and 1024 or 1)
end

local function add(options, gres, count, most)
	local old = options["gres"]

	if not count or count < 1 or count > most then
		slurm.log_error("timegraph: an option's value is wrong; --tg-mem=4G, --tg-reserve=25%%")
		return false
	end
	gres = string.format("%s:%d", gres, count)
	options["gres"] = old and old ~= "" and old .. "," .. gres or gres
	return true
end

-- Return: true: the job may be sent
function timegraph_gres(options)
	local mem = of_plugin(options, "tg-mem")
	local reserve = of_plugin(options, "tg-reserve")

	return (not mem or add(options, "tgmem", mib(mem), 1048576)) and
	       (not reserve or add(options, "tgtime", tonumber(string.match(reserve, "^(%d+)%%$")), 100))
end

function slurm_cli_setup_defaults(options, early)
	return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, component)
	return timegraph_gres(options) and slurm.SUCCESS or slurm.ERROR
end

function slurm_cli_post_submit(component, job, step)
	return slurm.SUCCESS
end
