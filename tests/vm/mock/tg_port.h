/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels in what the test card calls. tg_mock.c alone includes this.
 */
#ifndef TG_PORT_H
#define TG_PORT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>

/* Linux 6.15 gave the arguments a structure; Debian's 6.1 has it, too, without run queues. */
static inline int port_sched_init(struct drm_gpu_scheduler *sched,
				  const struct drm_sched_backend_ops *ops, u32 credits,
				  long timeout, const char *name, struct device *dev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	const struct drm_sched_init_args args = {
		.ops = ops, .num_rqs = DRM_SCHED_PRIORITY_COUNT, .credit_limit = credits,
		.timeout = timeout, .name = name, .dev = dev,
	};

	return drm_sched_init(sched, &args);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return drm_sched_init(sched, ops, NULL, DRM_SCHED_PRIORITY_COUNT, credits, 0,
			      timeout, NULL, NULL, name, dev);
#else
	const struct drm_sched_init_args args = {
		.ops = ops, .credit_limit = credits, .timeout = timeout, .name = name, .dev = dev,
	};

	return drm_sched_init(sched, &args);
#endif
}

static inline void port_sched_start(struct drm_gpu_scheduler *sched)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	drm_sched_start(sched, 0);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	drm_sched_start(sched);
#else
	drm_sched_start(sched, true);
#endif
}

static inline int port_job_init(struct drm_sched_job *job, struct drm_sched_entity *entity,
				void *owner, const struct drm_file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return drm_sched_job_init(job, entity, 1, owner, file->client_id);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return drm_sched_job_init(job, entity, 1, owner);
#else
	return drm_sched_job_init(job, entity, owner);
#endif
}

static inline void port_timer_init(struct hrtimer *timer,
				   enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = fn;
#endif
}

#endif /* TG_PORT_H */
