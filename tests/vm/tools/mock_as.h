/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tgmock's client calls where the card is under another driver's name (tests/vm/mock/tg_as.h): a job is
 * described by struct tgmock_submit all the same. mock.c alone includes this.
 */
#ifndef MOCK_AS_H
#define MOCK_AS_H

#include <amdgpu_drm.h>

/* libdrm of Debian 12 has no header of these. The card has the kernel's: a wrong size here is refused there. */
struct xe_exec {
	uint64_t extensions;
	uint32_t queue, nr_syncs;
	uint64_t syncs, address;
	uint16_t nr_batches, pad[3];
	uint64_t reserved[2];
};

struct xe_sync {
	uint64_t extensions;
	uint32_t type, flags;
	uint64_t handle, point, reserved[2];
};

struct xe_vm {
	uint64_t extensions;
	uint32_t flags, id;
	uint64_t reserved[2];
};

struct xe_place {
	uint16_t class, instance, gt, pad;
};

struct xe_queue {
	uint64_t extensions;
	uint16_t width, nr_places;
	uint32_t vm, flags, id;
	uint64_t places, reserved[2];
};

#define XE_QUEUE_CREATE	DRM_IOWR(DRM_COMMAND_BASE + 0x06, struct xe_queue)
#define XE_EXEC		DRM_IOW(DRM_COMMAND_BASE + 0x09, struct xe_exec)
#define XE_VM_CREATE	DRM_IOWR(DRM_COMMAND_BASE + 0x03, struct xe_vm)
#define XE_SYNC_SIGNAL	1

/* From 6.18 on it is longer by eight bytes, which the kernel takes for 0 where they are not given. */
struct panfrost_submit {
	uint64_t job, syncs;
	uint32_t nr_syncs, out;
	uint64_t bos;
	uint32_t nr_bos, requirements;
};

#define PANFROST_SUBMIT		DRM_IOW(DRM_COMMAND_BASE + 0x00, struct panfrost_submit)
#define PANFROST_FRAGMENTS	1

struct lima_submit {
	uint32_t context, pipe, nr_bos, frame_size;
	uint64_t bos, frame;
	uint32_t flags, out, in[2];
};

#define LIMA_SUBMIT	DRM_IOW(DRM_COMMAND_BASE + 0x03, struct lima_submit)

/* From 6.8 on that of a texture is longer by eight bytes. */
struct v3d_frame {
	uint32_t bcl_start, bcl_end, rcl_start, rcl_end, in_bcl, in_rcl, out, qma, qms, qts;
	uint64_t bos;
	uint32_t nr_bos, flags, perfmon, pad;
	uint64_t extensions;
};

struct v3d_texture {
	uint32_t icfg, iia, other[9], bos[4], in, out, flags;
	uint64_t extensions;
};

struct v3d_compute {
	uint32_t cfg[7], coef[4];
	uint64_t bos;
	uint32_t nr_bos, in, out, perfmon;
	uint64_t extensions;
	uint32_t flags, pad;
};

struct v3d_cpu {
	uint64_t bos;
	uint32_t nr_bos, flags;
	uint64_t extensions;
};

/* An extension, and two of its kinds. */
struct v3d_extension {
	uint64_t next;
	uint32_t id, flags;
};

struct v3d_syncs {
	struct v3d_extension base;
	uint64_t in, out;
	uint32_t nr_in, nr_out, queue, pad;
};

struct v3d_indirect {
	struct v3d_extension base;
	struct v3d_compute compute;
	uint32_t other[6];
};

struct v3d_sem {
	uint32_t handle, flags;
	uint64_t point, mbz[2];
};

#define V3D_FRAME	DRM_IOWR(DRM_COMMAND_BASE + 0x00, struct v3d_frame)
#define V3D_TEXTURE	DRM_IOW(DRM_COMMAND_BASE + 0x06, struct v3d_texture)
#define V3D_COMPUTE	DRM_IOW(DRM_COMMAND_BASE + 0x07, struct v3d_compute)
#define V3D_CPU		DRM_IOW(DRM_COMMAND_BASE + 0x0b, struct v3d_cpu)
#define V3D_CLEAN	1
#define V3D_EXTENDED	2

enum { V3D_BINS, V3D_RENDERS, V3D_FORMATS, V3D_COMPUTES, V3D_CLEANS, V3D_CPUS };	/* v3d_syncs.queue */

struct etnaviv_submit {
	uint32_t fence, pipe, state, nr_bos, nr_relocs, stream_size;
	uint64_t bos, relocs, stream;
	uint32_t flags;
	int32_t fd;
	uint64_t pmrs;
	uint32_t nr_pmrs, out;
};

#define ETNAVIV_SUBMIT	DRM_IOWR(DRM_COMMAND_BASE + 0x06, struct etnaviv_submit)
#define ETNAVIV_FILE_IN	2

struct userq {
	uint32_t op, other[5];
	uint64_t more[6];
};

#define USERQ		DRM_IOWR(DRM_COMMAND_BASE + 0x16, struct userq)

/* A CS with all that it points to. */
struct cs {
	union drm_amdgpu_cs args;
	uint64_t chunks[3];
	struct drm_amdgpu_cs_chunk chunk[3];
	struct drm_amdgpu_cs_chunk_ib ib;
	struct drm_amdgpu_cs_chunk_sem out;
};

/* At @cs, which stays where it is until it is submitted. */
static void cs_make(struct cs *cs, const struct tgmock_submit *req)
{
	uint32_t n = 0, i;

	memset(cs, 0, sizeof(*cs));
	cs->ib.ip_type = req->ring;
	cs->ib.va_start = req->ns;
	cs->out.handle = req->out;
	cs->chunk[n++] = (struct drm_amdgpu_cs_chunk){ AMDGPU_CHUNK_ID_IB, sizeof(cs->ib) / 4, (uintptr_t)&cs->ib };
	if (req->ins)
		cs->chunk[n++] = (struct drm_amdgpu_cs_chunk){ AMDGPU_CHUNK_ID_SYNCOBJ_IN, req->ins, req->in };
	if (req->out)
		cs->chunk[n++] = (struct drm_amdgpu_cs_chunk){ AMDGPU_CHUNK_ID_SYNCOBJ_OUT, 1, (uintptr_t)&cs->out };
	for (i = 0; i < n; i++)
		cs->chunks[i] = (uintptr_t)&cs->chunk[i];
	cs->args.in.ctx_id = 1;
	cs->args.in.num_chunks = n;
	cs->args.in.chunks = (uintptr_t)cs->chunks;
}

static int submit_amdgpu(int fd, const struct tgmock_submit *req)
{
	struct cs cs;

	cs_make(&cs, req);
	return call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args);
}

/* The queue of class @ring, whose number is 1 + @ring. Queues beyond are there without having been made. */
static void make_queue_xe(int fd, uint16_t ring)
{
	const struct xe_place place = { .class = ring };
	struct xe_queue queue = { .width = 1, .nr_places = 1, .places = (uintptr_t)&place };

	if (ring < TGMOCK_RINGS && (call(fd, XE_QUEUE_CREATE, &queue) || queue.id != 1u + ring))
		die("EXEC_QUEUE_CREATE");
}

/* At most as many syncobjs as tgmock takes. */
static int submit_xe(int fd, const struct tgmock_submit *req)
{
	const uint32_t *in = (const uint32_t *)(uintptr_t)req->in;
	struct xe_sync sync[TGMOCK_INS + 1] = { };
	struct xe_exec exec = {
		.queue = 1 + req->ring, .syncs = (uintptr_t)sync, .address = req->ns, .nr_batches = 1,
	};
	uint32_t i;

	for (i = 0; i < req->ins; i++)
		sync[exec.nr_syncs++].handle = in[i];
	if (req->out)
		sync[exec.nr_syncs++] = (struct xe_sync){ .handle = req->out, .flags = XE_SYNC_SIGNAL };
	return call(fd, XE_EXEC, &exec);
}

static int submit_panfrost(int fd, const struct tgmock_submit *req)
{
	struct panfrost_submit args = {
		.job = req->ns, .syncs = req->in, .nr_syncs = req->ins, .out = req->out,
		.requirements = req->ring ? 0 : PANFROST_FRAGMENTS,
	};

	return call(fd, PANFROST_SUBMIT, &args);
}

/* At most two syncobjs to wait for. */
static int submit_lima(int fd, const struct tgmock_submit *req)
{
	const uint32_t *in = (const uint32_t *)(uintptr_t)req->in;
	struct lima_submit args = {
		.context = 1, .pipe = req->ring, .nr_bos = 1, .frame = req->ns, .out = req->out,
		.in = { req->ins ? in[0] : 0, req->ins > 1 ? in[1] : 0 },
	};

	return call(fd, LIMA_SUBMIT, &args);
}

/* At most one syncobj to wait for, whose fence goes along as a file: -1 where that cannot be. */
static int submit_etnaviv(int fd, const struct tgmock_submit *req)
{
	struct drm_syncobj_handle in = {
		.handle = req->ins ? *(const uint32_t *)(uintptr_t)req->in : 0,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1,
	};
	struct etnaviv_submit args = { .pipe = req->ring, .stream_size = req->ns & ~3ull, .out = req->out };
	int error;

	if (req->ins) {
		if (call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &in))
			in.fd = -1;
		args.flags = ETNAVIV_FILE_IN;
		args.fd = in.fd;
	}
	error = call(fd, ETNAVIV_SUBMIT, &args);
	if (in.fd >= 0)
		close(in.fd);
	return error;
}

/* A compute shader whose size the CPU computes, which has its syncobjs in an extension. */
static int submit_v3d_cpu(int fd, const struct tgmock_submit *req)
{
	const uint32_t *in = (const uint32_t *)(uintptr_t)req->in;
	struct v3d_sem ins = { .handle = req->ins ? in[0] : 0 }, out = { .handle = req->out };
	struct v3d_syncs syncs = {
		.base.id = 1, .in = (uintptr_t)&ins, .nr_in = 1, .out = (uintptr_t)&out, .nr_out = 1, .queue = V3D_CPUS,
	};
	struct v3d_indirect indirect = {
		.base = { (uintptr_t)&syncs, 2, 0 }, .compute.cfg = { req->ns },
	};
	struct v3d_cpu args = { .nr_bos = 1, .flags = V3D_EXTENDED, .extensions = (uintptr_t)&indirect };

	return call(fd, V3D_CPU, &args);
}

/* A third of a frame is binned. At most two syncobjs to wait for, or one but for frames. */
static int submit_v3d(int fd, const struct tgmock_submit *req)
{
	const uint32_t *in = (const uint32_t *)(uintptr_t)req->in;
	const uint32_t one = req->ins ? in[0] : 0;
	struct v3d_frame frame = {
		.bcl_end = req->ns / 3, .rcl_end = req->ns - req->ns / 3, .in_bcl = one,
		.in_rcl = req->ins > 1 ? in[1] : 0, .out = req->out, .nr_bos = 1, .flags = V3D_CLEAN,
	};
	struct v3d_texture texture = { .iia = req->ns, .in = one, .out = req->out };
	struct v3d_compute compute = { .cfg = { req->ns }, .in = one, .out = req->out, .nr_bos = 1 };

	switch (req->ring) {
	case 0:
		return call(fd, V3D_FRAME, &frame);
	case 1:
		return call(fd, V3D_TEXTURE, &texture);
	case 2:
		return call(fd, V3D_COMPUTE, &compute);
	default:
		return submit_v3d_cpu(fd, req);
	}
}

static void say(const char *what, int error);

/* Calls that the card refuses as amdgpu, and good ones beside them. */
static void bad_amdgpu(int fd, uint32_t out)
{
	const struct tgmock_submit good = { .ns = 1000, .out = out };
	static const struct {
		const char *what;
		uint32_t nr;
		uint64_t chunks;
	} lists[] = {
		{ "no chunk", 0, 0 }, { "chunks at NULL", 1, 0 }, { "chunks in the kernel", 1, 0xffff888000000000ull },
		{ "chunks -1", ~0u, 0 }, { "chunks -1 at -1", ~0u, ~0ull }, { "chunks 5000", 5000, 1 },
	};
	static const struct {
		const char *what;
		struct drm_amdgpu_cs_chunk chunk;
	} chunks[] = {
		{ "IB at NULL", { AMDGPU_CHUNK_ID_IB, 8, 0 } },
		{ "IB too short", { AMDGPU_CHUNK_ID_IB, 7, 1 } },
		{ "IB -1", { AMDGPU_CHUNK_ID_IB, ~0u, ~0ull } },
		{ "in at NULL", { AMDGPU_CHUNK_ID_SYNCOBJ_IN, 1, 0 } },
		{ "in -1 at -1", { AMDGPU_CHUNK_ID_SYNCOBJ_IN, ~0u, ~0ull } },
		{ "point at NULL", { AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, 4, 0 } },
		{ "point in the kernel", { AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, ~0u, 0xffff888000000000ull } },
		{ "unknown", { 77, 1, 0 } },
	};
	struct drm_amdgpu_cs_chunk_syncobj nobody[20];
	const struct drm_amdgpu_cs_chunk_syncobj never = { .handle = out, .point = 1ull << 62 };
	unsigned int i;
	struct cs cs;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		cs_make(&cs, &good);
		cs.args.in.num_chunks = lists[i].nr;
		cs.args.in.chunks = lists[i].chunks;
		say(lists[i].what, call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	}
	for (i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		cs_make(&cs, &good);
		cs.chunk[1] = chunks[i].chunk;
		say(chunks[i].what, call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	}
	cs_make(&cs, &good);
	cs.chunk[1] = (struct drm_amdgpu_cs_chunk){ AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, 4, (uintptr_t)&never };
	say("point 2^62", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	/* The kernel waits 5 s for the first one. */
	for (i = 0; i < 20; i++) {
		nobody[i] = never;
		nobody[i].flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
	}
	cs_make(&cs, &good);
	cs.chunk[1] = (struct drm_amdgpu_cs_chunk){ AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT, 4 * 20, (uintptr_t)nobody };
	say("20 points that nobody submits", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	cs_make(&cs, &good);
	cs.chunks[1] = ~0ull;
	say("chunk at -1", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	cs_make(&cs, &good);
	cs.args.in.ctx_id = ~0u;
	say("context -1", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	cs_make(&cs, &good);
	cs.args.in.ctx_id = 9;
	say("context 9", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	cs_make(&cs, &good);
	cs.ib.ip_type = 1u << 31;
	say("IP 2^31", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
	cs_make(&cs, &good);
	cs.ib.ring = ~0u;
	say("ring -1", call(fd, DRM_IOCTL_AMDGPU_CS, &cs.args));
}

/* @n calls that make no job. Return: what the last one answers. */
static int none_xe(int fd, uint32_t out, unsigned long n)
{
	struct xe_sync sync = { .handle = out, .flags = XE_SYNC_SIGNAL };
	struct xe_exec exec = { .queue = 1, .nr_syncs = 1, .syncs = (uintptr_t)&sync };
	int error = 0;

	while (n--)
		error = call(fd, XE_EXEC, &exec);
	return error;
}

static void bad_xe(int fd, uint32_t out)
{
	struct xe_sync sync = { .handle = out, .flags = XE_SYNC_SIGNAL };
	const struct xe_exec good = {
		.queue = 1, .nr_syncs = 1, .syncs = (uintptr_t)&sync, .address = 1000, .nr_batches = 1,
	};
	static const struct {
		const char *what;
		uint32_t queue, nr;
		uint64_t syncs;
	} calls[] = {
		{ "queue -1", ~0u, 0, 0 }, { "queue 0", 0, 0, 0 }, { "queue 16", 16, 0, 0 }, { "no sync, at -1", 1, 0, ~0ull },
		{ "syncs at NULL", 1, 1, 0 }, { "syncs in the kernel", 1, 1, 0xffff888000000000ull },
		{ "syncs -1", 1, ~0u, 1 }, { "syncs 1024 at NULL", 1, 1024, 0 },
	};
	struct xe_exec exec;
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		exec = good;
		exec.queue = calls[i].queue;
		exec.nr_syncs = calls[i].nr;
		exec.syncs = calls[i].syncs;
		say(calls[i].what, call(fd, XE_EXEC, &exec));
	}
	exec = good;
	exec.nr_batches = 0;
	say("no batch", call(fd, XE_EXEC, &exec));
	exec.nr_batches = 2;
	say("two batches", call(fd, XE_EXEC, &exec));
	exec = good;
	sync.type = 2;
	say("a fence of user space", call(fd, XE_EXEC, &exec));
	sync = (struct xe_sync){ .type = 1, .handle = out, .point = 1ull << 62 };
	say("point 2^62", call(fd, XE_EXEC, &exec));
	sync = (struct xe_sync){ .handle = 1ull << 62 };
	say("handle 2^62", call(fd, XE_EXEC, &exec));
}

static void bad_panfrost(int fd, uint32_t out)
{
	static const struct {
		const char *what;
		uint64_t job, syncs;
		uint32_t nr, requirements;
	} calls[] = {
		{ "no job", 0, 0, 0, 0 }, { "requirements -1", 1000, 0, 0, ~0u }, { "no sync, at -1", 1000, ~0ull, 0, 0 },
		{ "syncs at NULL", 1000, 0, 1, 0 }, { "syncs in the kernel", 1000, 0xffff888000000000ull, 1, 0 },
		{ "syncs -1 at 1", 1000, 1, ~0u, 1 }, { "syncs 2000 at NULL", 1000, 0, 2000, 1 },
		{ "job 2^62", 1ull << 62, 0, 0, 1 },
	};
	struct panfrost_submit args;
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		args = (struct panfrost_submit){
			.job = calls[i].job, .syncs = calls[i].syncs, .nr_syncs = calls[i].nr, .out = out,
			.requirements = calls[i].requirements,
		};
		say(calls[i].what, call(fd, PANFROST_SUBMIT, &args));
	}
	args = (struct panfrost_submit){ .job = 1000, .out = 0x7fffffff };
	say("out unknown", call(fd, PANFROST_SUBMIT, &args));
}

static void bad_lima(int fd, uint32_t out)
{
	const struct lima_submit good = { .context = 1, .nr_bos = 1, .frame = 1000, .out = out };
	static const struct {
		const char *what;
		uint32_t context, pipe, nr_bos, flags, in[2];
	} calls[] = {
		{ "context -1", ~0u, 0, 1, 0, { 0 } }, { "context 0", 0, 0, 1, 0, { 0 } }, { "context 16", 16, 1, 1, 1, { 0 } },
		{ "pipe 2", 1, 2, 1, 0, { 0 } }, { "pipe -1", 1, ~0u, 1, 0, { 0 } }, { "no object", 1, 0, 0, 0, { 0 } },
		{ "flags -1", 1, 0, 1, ~0u, { 0 } }, { "second in unknown", 1, 1, 1, 0, { 0, 0x7fffffff } },
		{ "both in unknown", 1, 1, 1, 1, { ~0u, ~0u } },
	};
	struct lima_submit args;
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		args = good;
		args.context = calls[i].context;
		args.pipe = calls[i].pipe;
		args.nr_bos = calls[i].nr_bos;
		args.flags = calls[i].flags;
		memcpy(args.in, calls[i].in, sizeof(args.in));
		say(calls[i].what, call(fd, LIMA_SUBMIT, &args));
	}
}

static void bad_v3d_frames(int fd, uint32_t out)
{
	static const struct {
		const char *what;
		uint32_t bin, render, in_bcl, in_rcl, flags, pad;
		uint64_t extensions;
	} calls[] = {
		{ "render alone", 0, 1000, 0, 0, 0, 0, 0 }, { "pad", 500, 500, 0, 0, 0, 1, 0 },
		{ "flags 4", 500, 500, 0, 0, 4, 0, 0 }, { "flags -1", 500, 500, 0, 0, ~0u, 0, 0 },
		{ "bin -1", ~0u, 500, 0, 0, 1, 0, 0 }, { "no bin, its in unknown", 0, 1000, ~0u, 0, 1, 0, 0 },
		{ "both in unknown", 500, 500, ~0u, 0x7fffffff, 1, 0, 0 },
		{ "no extension, extensions -1", 500, 500, 0, 0, 1, 0, ~0ull },
		{ "extensions NULL", 500, 500, 0, 0, 2, 0, 0 }, { "extensions -1", 500, 500, 0, 0, 2, 0, ~0ull },
		{ "extensions 2^62", 500, 500, 0, 0, 3, 0, 1ull << 62 },
		{ "extensions in the kernel", 500, 500, 0, 0, 3, 0, 0xffff888000000000ull },
	};
	struct v3d_frame args;
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		args = (struct v3d_frame){
			.bcl_end = calls[i].bin, .rcl_end = calls[i].render, .in_bcl = calls[i].in_bcl,
			.in_rcl = calls[i].in_rcl, .out = out, .nr_bos = 1, .flags = calls[i].flags,
			.pad = calls[i].pad, .extensions = calls[i].extensions,
		};
		say(calls[i].what, call(fd, V3D_FRAME, &args));
	}
	args = (struct v3d_frame){ .rcl_end = 1000, .out = out, .flags = V3D_CLEAN };
	say("no object", call(fd, V3D_FRAME, &args));
}

/* One extension that lists syncobjs, of a frame that is not binned. */
static void bad_v3d_syncs(int fd, uint32_t out)
{
	static struct v3d_sem own[2000];
	const uint64_t good = (uintptr_t)own;
	const struct {
		const char *what;
		uint64_t in;
		uint32_t nr, queue, pad;
	} calls[] = {
		{ "two of its own", good, 2, V3D_RENDERS, 0 }, { "of the queue that bins, at NULL", 0, 2, V3D_BINS, 0 },
		{ "of queue 32", 0, 1, 32, 0 }, { "of queue -1", 0, 1, ~0u, 0 }, { "pad of syncs", good, 1, V3D_RENDERS, 1 },
		{ "syncs at NULL", 0, 1, V3D_RENDERS, 0 }, { "syncs at -1", ~0ull, 1, V3D_RENDERS, 0 },
		{ "syncs -1", good, ~0u, V3D_RENDERS, 0 }, { "syncs 2000", good, 2000, V3D_RENDERS, 0 },
		{ "syncs in the kernel", 0xffff888000000000ull, 1, V3D_RENDERS, 0 },
		{ "no syncs, at -1", ~0ull, 0, V3D_RENDERS, 0 },
	};
	struct v3d_sem sem = { .handle = out };
	struct v3d_syncs syncs;
	struct v3d_frame args = { .rcl_end = 1000, .nr_bos = 1, .flags = V3D_EXTENDED, .extensions = (uintptr_t)&syncs };
	struct v3d_extension ext[9] = { { 0 } };
	unsigned int i;

	own[0].handle = own[1].handle = out;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		syncs = (struct v3d_syncs){
			.base.id = 1, .in = calls[i].in, .nr_in = calls[i].nr, .out = (uintptr_t)&sem, .nr_out = 1,
			.queue = calls[i].queue, .pad = calls[i].pad,
		};
		say(calls[i].what, call(fd, V3D_FRAME, &args));
	}
	syncs.nr_in = 0;
	syncs.base.next = (uintptr_t)&syncs;
	say("an extension behind itself", call(fd, V3D_FRAME, &args));
	syncs.base.next = (uintptr_t)ext;
	say("an extension 0 behind it", call(fd, V3D_FRAME, &args));
	for (i = 0; i < 9; i++)
		ext[i] = (struct v3d_extension){ i < 8 ? (uintptr_t)&ext[i + 1] : (uintptr_t)&syncs, 0x77777777, 0 };
	args.extensions = (uintptr_t)ext;
	say("nine before it", call(fd, V3D_FRAME, &args));
}

static void bad_v3d(int fd, uint32_t out)
{
	struct v3d_texture texture = { .iia = 1000, .out = out };
	struct v3d_compute compute = { .cfg = { 1000 }, .out = out, .nr_bos = 1 };
	struct v3d_cpu cpu = { .nr_bos = 1 };

	bad_v3d_frames(fd, out);
	bad_v3d_syncs(fd, out);
	say("texture", call(fd, V3D_TEXTURE, &texture));
	texture.flags = 1;
	say("texture, flags 1", call(fd, V3D_TEXTURE, &texture));
	texture.flags = ~0u;
	texture.extensions = 8;
	say("texture, flags -1, extensions 8", call(fd, V3D_TEXTURE, &texture));
	say("compute", call(fd, V3D_COMPUTE, &compute));
	compute.pad = 1;
	say("compute, pad", call(fd, V3D_COMPUTE, &compute));
	compute.pad = 0;
	compute.flags = 4;
	say("compute, flags 4", call(fd, V3D_COMPUTE, &compute));
	say("CPU", call(fd, V3D_CPU, &cpu));
	cpu.flags = V3D_EXTENDED;
	say("CPU, extensions NULL", call(fd, V3D_CPU, &cpu));
	cpu.extensions = ~0ull;
	say("CPU, extensions -1", call(fd, V3D_CPU, &cpu));
	cpu.flags = ~0u;
	say("CPU, flags -1", call(fd, V3D_CPU, &cpu));
}

static void bad_etnaviv(int fd, uint32_t out)
{
	const struct {
		const char *what;
		uint32_t pipe, size, flags;
		int32_t fd;
	} calls[] = {
		{ "pipe 3", 3, 1000, 0, -1 }, { "pipe 4", 4, 1000, 0, -1 }, { "pipe -1", ~0u, 1000, 0, 0 },
		{ "size 3", 0, 3, 0, 0 }, { "size -4", 0, ~3u, 0, 0 }, { "flags -1", 0, 1000, ~0u, 0 },
		{ "no file, -1", 0, 1000, 0, -1 }, { "file -1", 0, 1000, 2, -1 }, { "file 2^31 - 1", 1, 1000, 2, 0x7fffffff },
		{ "a file that is no fence", 0, 1000, 2, 0 }, { "the card's file", 2, 1000, 2, fd },
	};
	struct etnaviv_submit args;
	unsigned int i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		args = (struct etnaviv_submit){
			.pipe = calls[i].pipe, .stream_size = calls[i].size, .flags = calls[i].flags,
			.fd = calls[i].fd, .out = out,
		};
		say(calls[i].what, call(fd, ETNAVIV_SUBMIT, &args));
	}
	args = (struct etnaviv_submit){ .stream_size = 1000, .nr_bos = ~0u, .out = out };
	say("objects -1", call(fd, ETNAVIV_SUBMIT, &args));
}

/* Another driver's name: how a job of the card's is asked for, what it refuses, and its ioctl that submits. */
static const struct {
	const char *name;
	int (*submit)(int fd, const struct tgmock_submit *req);
	void (*bad)(int fd, uint32_t out);
	unsigned long ioctl;
} names[] = {
	{ "amdgpu", submit_amdgpu, bad_amdgpu, DRM_IOCTL_AMDGPU_CS },
	{ "xe", submit_xe, bad_xe, XE_EXEC },
	{ "panfrost", submit_panfrost, bad_panfrost, PANFROST_SUBMIT },
	{ "lima", submit_lima, bad_lima, LIMA_SUBMIT },
	{ "v3d", submit_v3d, bad_v3d, V3D_FRAME },
	{ "etnaviv", submit_etnaviv, bad_etnaviv, ETNAVIV_SUBMIT },
};

#define NAMES	(sizeof(names) / sizeof(names[0]))

#endif /* MOCK_AS_H */
