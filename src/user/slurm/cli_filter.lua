-- SPDX-License-Identifier: GPL-2.0
--
-- What --tg-mem and --tg-reserve mean to Slurm: GRES that the job asks for on each node, tgmem in MiB
-- and tgtime in percent. srun, sbatch and salloc call this before they send a job (cli_filter/lua).
-- The plugin has checked the options' words.
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

local function add(options, gres)
	local old = options["gres"]

	options["gres"] = old and old ~= "" and old .. "," .. gres or gres
end

function timegraph_gres(options)
	local mem = of_plugin(options, "tg-mem")
	local reserve = of_plugin(options, "tg-reserve")

	if mem then
		add(options, string.format("tgmem:%d", mib(mem)))
	end
	if reserve then
		add(options, string.format("tgtime:%d", tonumber(string.match(reserve, "%d+"))))
	end
end

function slurm_cli_setup_defaults(options, early)
	return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, component)
	timegraph_gres(options)
	return slurm.SUCCESS
end

function slurm_cli_post_submit(component, job, step)
	return slurm.SUCCESS
end
