/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the units of the card know of each other.  For src/card only.
 *
 * Unit names are nouveau's (and envytools'): a register is found in the file that has the name of
 * the driver's file.  Every unit has a reset function, and read and write functions for its
 * registers, which mmio.c calls by address.  A register that belongs to no unit keeps what is
 * written.
 *
 * No unit has a lock or a thread: the host lets one thread at a time into the card (card.h).
 */
#ifndef CARD_PRIV_H
#define CARD_PRIV_H

#include "card.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT(n)		(1u << (n))

#define CARD_CHANNELS	128
#define CARD_SUBCHANNELS	8
#define CARD_MMIO_SIZE	(16u << 20)
#define CARD_ROM_SIZE	4096
#define CARD_REG_PAGE	16	/* log2 of the piece in which reset clears registers */
/* Methods, ring entries and events that one call works through before it returns to its caller. */
#define CARD_BUDGET	16384
/* Most bytes that one copy, fill or blit may touch: several times the memory there is. */
#define CARD_OP_BYTES	0x40000000ull
/* Rows of ground truth: far more channels than a run creates. */
#define CARD_ROWS	65536

/* ---- g92.c, gf100.c: what differs between chips -------------------------------------------- */

struct mmio_range {
	u32 start;
	u32 end;
	u32 (*rd)(struct card *card, u32 off);
	void (*wr)(struct card *card, u32 off, u32 val);
};

/* A plain register that is not 0 at power-on. */
struct card_strap {
	u32 reg;
	u32 val;
};

/**
 * struct card_rates - what cost.c reckons with; each constant's source is in the chip's file
 * @core_mhz, @shader_mhz: clocks
 * @vram_mbps: bytes per microsecond to and from video memory
 * @multiprocessors: how many run blocks
 * @warp_clocks: shader clocks of one instruction of a warp
 * @rops: pixels per core clock
 * @cold_bytes, @cold_mbps: what is fetched again after a switch, at most, and how fast
 * @switch_ns: one context out, another one in; @copy_switch_ns: the same for a copy engine
 */
struct card_rates {
	u32 core_mhz;
	u32 shader_mhz;
	u32 vram_mbps;
	u32 multiprocessors;
	u32 warp_clocks;
	u32 rops;
	u32 cold_bytes;
	u32 cold_mbps;
	u32 switch_ns;
	u32 copy_switch_ns;
};

struct card_chip {
	const char *name;
	bool fermi;		/* the younger kind of PFIFO, page tables and PGRAPH set-up */
	u32 boot0;		/* PMC identification, 0x000000 */
	u16 device_id;
	u16 subsystem_id;
	u8 revision;
	u32 units;		/* 0x001540: which TPs, MPs and memory partitions there are */
	u32 partitions;		/* how many of the latter */
	u32 crystal_strap;	/* 0x101000 */
	u32 gob_lines;		/* of the least piece of a block-linear surface: 64 bytes by so many */
	u32 vram_mib;		/* unless told */
	u32 vram_unit;		/* the least it may have, MiB; doubled up to four times */
	u32 engines;		/* of enum engine_id */
	u32 bios_version;
	const struct card_strap *straps;	/* ended by register 0 */
	const struct mmio_range *ranges;	/* by address */
	u32 range_count;
	const struct gr_class *const *classes;	/* ended by NULL */
	struct card_rates rates;
};

extern const struct card_chip chip_g92, chip_gf100;

const struct card_chip *card_chip_find(const char *name);

/* ---- cost.c: how long things take on the card, in its own (unscaled) ns -------------------- */

s64 cost_methods(const struct card_chip *chip, u64 methods);
s64 cost_switch(const struct card_chip *chip);
s64 cost_switch_copy(const struct card_chip *chip);
s64 cost_launch(const struct card_chip *chip, u64 blocks, u32 threads, u32 instructions);
s64 cost_memory(const struct card_chip *chip, u64 vram_bytes, u64 system_bytes);
s64 cost_pixels(const struct card_chip *chip, u64 pixels, u64 vram_bytes, u64 system_bytes);
s64 cost_draw(const struct card_chip *chip, u64 vertices, u32 vertex_program, u64 pixels,
	      u32 pixel_program, u64 vram_bytes);
s64 cost_cold(const struct card_chip *chip, u64 random);
s64 cost_jitter(s64 ns, u64 random);

/* ---- vm.c: GPU virtual memory ------------------------------------------------------------- */

/* Why a translation failed: the values of the trap registers. */
enum vm_reason {
	VM_OK = -1,
	VM_PT_NOT_PRESENT = 0,
	VM_PT_TOO_SHORT = 1,
	VM_PAGE_NOT_PRESENT = 2,
	VM_PAGE_READ_ONLY = 4,
	VM_NULL_DMAOBJ = 6,
	VM_VRAM_LIMIT = 11,
	VM_DMAOBJ_LIMIT = 15,
};

/*
 * The unit that accesses memory: engine in bits 0-3, client 8-11, its part 12-15 of trap register
 * 0.
 */
enum vm_who {
	VM_PFIFO_PUSHBUF = 0x0805,
	VM_PFIFO_SEMAPHORE = 0x1405,
	VM_GR_NOTIFY = 0x1300,
	VM_GR_QUERY = 0x2300,
	VM_GR_M2MF_IN = 0x4300,
	VM_GR_M2MF_OUT = 0x5300,
	VM_GR_CODE = 0x0500,
	VM_GR_SRC2D = 0x0a00,
	VM_GR_DST2D = 0xcb00,
	VM_BAR_FB = 0x0006,
	VM_BAR_IN = 0x1006,
	/* copy engines of GF100 */
	VM_PCE0 = 0x10000,
	VM_PCE1 = 0x10001,
};

enum vm_target { VM_TARGET_VM, VM_TARGET_VRAM, VM_TARGET_PCI, VM_TARGET_PCI_NOSNOOP };

/* A DMA object: a piece of one of the address spaces. */
struct dmaobj {
	u64 inst;		/* instance block whose page tables VM_TARGET_VM means */
	u64 base;
	u64 limit;		/* last address */
	u8 target;
	bool valid;
};

void vm_dmaobj(struct card *card, u64 inst, u32 off, struct dmaobj *obj);
void vm_space(u64 inst, struct dmaobj *obj);
u8 *vm_memory(struct card *card, u32 target, u64 pa, bool write, u64 *run, enum vm_reason *why);
u8 *vm_map(struct card *card, const struct dmaobj *obj, u64 off, bool write, u64 *run,
	   enum vm_reason *why);
bool vm_read(struct card *card, const struct dmaobj *obj, u64 off, void *buf, u64 len,
	     enum vm_who who);
bool vm_write(struct card *card, const struct dmaobj *obj, u64 off, const void *buf, u64 len,
	      enum vm_who who);
bool vm_is_system(struct card *card, const struct dmaobj *obj, u64 off);
void vm_fault(struct card *card, const struct dmaobj *obj, u64 off, bool write, enum vm_who who,
	      enum vm_reason why);

/* vm_gf100.c: the same for Fermi's page tables and faults */
u8 *vm_gf100_walk(struct card *card, u64 inst, u64 va, bool write, u64 *run, enum vm_reason *why);
void vm_gf100_fault(struct card *card, u64 inst, u64 addr, bool write, enum vm_who who,
		    enum vm_reason why);

/* ---- instmem.c: video memory by physical address, the windows on it ------------------------ */

u8 *vram_ptr(struct card *card, u64 addr, u64 len);
u32 vram_rd32(struct card *card, u64 addr);
void instmem_reset(struct card *card);
void instmem_window(struct card *card, u32 off, void *buf, u32 len, bool write);
void instmem_bar(struct card *card, int bar, u64 off, void *buf, u32 len, bool write);
u32 instmem_rd(struct card *card, u32 off);
void instmem_wr(struct card *card, u32 off, u32 val);

/* ---- pci.c -------------------------------------------------------------------------------- */

struct pci {
	u8 config[256];
	bool intx;		/* level of the pin */
	bool msi_on;
	bool msi_armed;
};

void pci_reset(struct card *card);
bool pci_away(const struct card *card);
void pci_intr(struct card *card, bool level);
bool pci_busy(const struct card *card);
void pci_spurious(struct card *card);
void pci_config(struct card *card, u32 off, u8 *buf, u32 len, bool write);
u32 pci_rd(struct card *card, u32 off);
void pci_wr(struct card *card, u32 off, u32 val);
void pci_rearm(struct card *card);

/* ---- pmc.c -------------------------------------------------------------------------------- */

enum pmc_line { PMC_PFIFO = 8, PMC_PGRAPH = 12, PMC_PTIMER = 20, PMC_PBUS = 28 };

void pmc_reset(struct card *card);
void pmc_update(struct card *card);
u32 pmc_rd(struct card *card, u32 off);
void pmc_wr(struct card *card, u32 off, u32 val);

/* ---- pbus.c, ptimer.c, pfb.c -------------------------------------------------------------- */

struct ptimer {
	u64 offset;		/* PTIMER time minus ours at @since, modulo 2^64 */
	s64 since;		/* when it was last set, our time */
	bool fast;		/* by a fault: what it has gained since then comes on top */
	s64 alarm;		/* when the alarm rings, our time, or CARD_NEVER */
};

struct pfb {
	u32 trap[6];		/* the first fault since the last acknowledge */
	bool trapped;
};

void pbus_reset(struct card *card);
u32 pbus_rd(struct card *card, u32 off);
void pbus_wr(struct card *card, u32 off, u32 val);

void ptimer_reset(struct card *card);
u64 ptimer_time(const struct card *card);
void ptimer_event(struct card *card);
void ptimer_fast(struct card *card, bool fast);
void ptimer_back(struct card *card);
u32 ptimer_rd(struct card *card, u32 off);
void ptimer_wr(struct card *card, u32 off, u32 val);

void pfb_reset(struct card *card);
u32 pfb_rd(struct card *card, u32 off);
void pfb_wr(struct card *card, u32 off, u32 val);
u32 pfb_gf100_rd(struct card *card, u32 off);
void pfb_gf100_wr(struct card *card, u32 off, u32 val);

/* ---- vbios.c ------------------------------------------------------------------------------ */

void vbios_build(struct card *card);
u32 vbios_rd(struct card *card, u32 off);
void vbios_wr(struct card *card, u32 off, u32 val);

/* ---- pfifo.c, pusher.c, puller.c, runlist.c: channels -------------------------------------- */

/* Object classes with state of their own.  State belongs to the context, not the subchannel. */
enum gr_slot { GR_M2MF, GR_2D, GR_COMPUTE, GR_3D, GR_COPY0, GR_COPY1, GR_MACRO, GR_SLOTS };

#define GR_METHODS	(0x4000 / 4)

/* Engines that hold channels' contexts, each with an account of its own. */
enum engine_id { ENGINE_GR, ENGINE_CE0, ENGINE_CE1, ENGINES };

/* A macro at work (macro.c). */
struct macro {
	bool running;
	bool waits;		/* for a parameter, */
	bool wait_send;		/* to be sent on, */
	u32 wait_reg;		/* or for this register */
	bool sent;		/* the held method is the macro's */
	bool carry;
	u32 subc;
	u32 pc;
	u32 next;		/* what is executed after it */
	u32 steps;		/* since it last made work */
	u32 reg[8];
	u32 mthd;		/* to be sent next, */
	u32 step;		/* and how far the one after it is */
};

struct chan {
	u32 chid;
	bool enabled;		/* in the channel table; */
	bool listed;		/* and on the runlist; */
	bool stopped;		/* but not to be run (Fermi) */
	u32 row;		/* in the ground truth */
	u64 inst;		/* instance block */
	u64 ramfc;		/* where its state goes */
	u32 saved;		/* what stands there while it is off, 0: nothing */
	struct dmaobj push;	/* what pushbuffer addresses mean */
	u32 ramht;		/* offset in the instance block, bytes */
	u32 ramht_bits;
	/* pusher */
	u64 ib_base;
	u32 ib_mask;
	u32 get;
	u32 put;
	u64 seg;		/* next word to fetch of the current ring entry */
	u32 seg_words;		/* how many are left */
	bool main;		/* it is of the main pushbuffer; */
	u64 main_get;		/* where the last of those ended, MAIN_GET_VALID added */
	u32 word[64];		/* fetched, not yet looked at */
	u32 word_get;
	u32 word_put;
	u32 subc;		/* of the command being read */
	u32 mthd;
	u32 count;		/* data words still to come */
	bool noninc;
	bool once;		/* increment once, then no more (Fermi) */
	bool long_count;	/* the next word is a count */
	/* puller */
	bool held;		/* the method below waits to be executed */
	u32 held_subc;
	u32 held_mthd;
	u32 held_data;
	struct {
		u32 engine;	/* 0 software, else 1 + enum engine_id */
		bool software;	/* an object of the driver's own is bound (Fermi) */
		u32 oclass;
		int slot;	/* enum gr_slot, -1 none */
	} subch[CARD_SUBCHANNELS];
	struct macro macro;
	u32 engine;		/* that it has, or had last: enum engine_id */
	u64 userd;		/* Fermi: where the driver leaves its PUT */
	u32 ref;
	u64 sema_addr;
	u32 sema_seq;
	u32 sema_off;		/* old-style semaphore, -1u unset */
	struct dmaobj sema;
	u32 notify;		/* after the next method: 1 write a notifier, 2 and interrupt */
	u64 unpaid;		/* methods decoded and not yet charged for */
	s64 done_at;		/* last completion, -1 when work came after it */
	s64 work_end;		/* when an engine last ended work of the present group, -1 none */
	/* per-class method state, GR_SLOTS * GR_METHODS words */
	u32 *state;
};

struct pfifo {
	struct chan chan[CARD_CHANNELS];
	u64 ready[2];		/* channels with something to pull; */
	u64 want[ENGINES][2];	/* whose next method waits for an engine; */
	u64 acquire[2];		/* with an unmet semaphore acquire */
	s64 retry_at;		/* when the acquires are looked at again */
	u8 runlist[CARD_CHANNELS];
	u32 runlist_len;
	u32 last[ENGINES];	/* channel last given that engine */
	u32 current;		/* 0x003204 */
	u32 intr;
	u32 stall;		/* error interrupt that the driver must handle before we go on */
	u64 kick;		/* instance being unloaded, or 0 */
	u32 saves;		/* channels switched off so far */
	bool running;
	bool behind;		/* budget ran out with work left at the present instant */
	/* Fermi, as its driver sees it */
	u32 mmu_units;		/* 0x00259c: units that had a memory fault */
	u32 pbdma_units;	/* 0x0025a0: which of the pushers is in error */
	u32 nonstall;		/* 0x0025a4: engines whose channels interrupt */
	u32 runlist_intr;	/* 0x002a00 */
	u32 preempt;		/* 0x002634: channel to be taken off its engine */
};

void pfifo_reset(struct card *card);
void pfifo_run(struct card *card);
void pfifo_resume(struct card *card, struct chan *ch);
void pfifo_retry(struct card *card);
bool pfifo_intr(const struct card *card);
void pfifo_notify(struct card *card);
bool pfifo_ramht(struct card *card, const struct chan *ch, u32 handle, u32 *context);
u32 pfifo_rd(struct card *card, u32 off);
void pfifo_wr(struct card *card, u32 off, u32 val);
u32 pfifo_user_rd(struct card *card, u32 off);
void pfifo_user_wr(struct card *card, u32 off, u32 val);

/* pfifo.c, pusher.c and runlist.c for pfifo_gf100.c */
enum pfifo_error { PFIFO_BAD_COMMAND, PFIFO_EMPTY_ENTRY, PFIFO_NO_MEMORY, PFIFO_BAD_METHOD,
		   PFIFO_NO_OBJECT, PFIFO_SOFTWARE, PFIFO_BAD_SEMAPHORE };

bool chan_runs(const struct chan *ch);
void chan_start(struct card *card, struct chan *ch, u64 ramfc);
void chan_save(struct card *card, struct chan *ch);
void chan_stop(struct card *card, struct chan *ch);
void chan_off_engine(struct card *card, struct chan *ch);
void chan_doorbell(struct card *card, struct chan *ch, u32 put);
u32 chan_user_rd(const struct chan *ch, u32 off);
void pfifo_unstall(struct card *card);

/* pfifo_gf100.c */
u32 pfifo_gf100_intr(const struct card *card);
bool pfifo_gf100_blocked(const struct card *card, u32 engine);
void pfifo_gf100_nonstall(struct card *card, const struct chan *ch);
void pfifo_gf100_error(struct card *card, struct chan *ch, enum pfifo_error error);
void pfifo_gf100_fault(struct card *card, u32 unit, u64 inst, u64 addr, u32 type);
bool pfifo_gf100_user(struct card *card, u64 off, void *buf, u32 len, bool write);
void pfifo_gf100_reset(struct card *card);
u32 pfifo_gf100_rd(struct card *card, u32 off);
void pfifo_gf100_wr(struct card *card, u32 off, u32 val);
u32 pbdma_rd(struct card *card, u32 off);
void pbdma_wr(struct card *card, u32 off, u32 val);

/* ---- engine.c: what all engines have in common --------------------------------------------- */

enum gr_state { GR_IDLE, GR_SWITCHING, GR_BUSY, GR_STATES };

/* What a class does with a method: the cost in ns of work that starts (0: none), or a failure. */
#define GR_FAILED	(-1)

struct gr_class {
	u16 oclass;
	u8 engine;		/* enum engine_id */
	int slot;
	u32 status;		/* 0x400700 while its work runs */
	u32 vstatus[3];		/* 0x400380, 384, 388 */
	s64 (*mthd)(struct card *card, struct chan *ch, u32 *state, u32 mthd, u32 data);
	void (*done)(struct card *card, struct chan *ch, u32 *state);
};

extern const struct gr_class gr_m2mf, gr_2d, gr_compute, gr_3d, gr_3d_g80, gr_null;
extern const struct gr_class gr_m2mf_gf100, gr_2d_gf100, gr_compute_gf100, gr_3d_gf100;
extern const struct gr_class gr_copy0, gr_copy1;

struct engine {
	bool on;		/* may take the next method */
	bool halted;		/* by an error, until the driver handles it */
	int owner;		/* channel whose group it executes, -1 none */
	u64 ctx;		/* instance block whose context is loaded, 0 none */
	enum gr_state state;
	s64 since;		/* accounted for up to here */
	s64 end;		/* when the work in hand ends, CARD_NEVER none */
	bool frozen;		/* by a fault: nothing begins, and what is in hand does not end */
	s64 cold;		/* what the next work takes longer, since caches are */
	s64 rest;		/* frozen: what the work in hand still takes */
	const struct gr_class *op;	/* class of the work in hand; NULL: decoding or a context switch */
	s64 ns[GR_STATES];
	s64 late_ns;
	u64 groups;
	u64 switches;
};

void engine_account(struct card *card, struct engine *e, enum gr_state next);
bool engine_free(const struct engine *e);
bool engine_paused(const struct engine *e);
bool engine_working(const struct engine *e);
void engine_freeze(struct card *card, struct engine *e);
void engine_thaw(struct card *card, struct engine *e);
bool engine_grant(struct card *card, struct engine *e, struct chan *ch);
void engine_yield(struct engine *e);
void engine_abort(struct card *card, struct engine *e);
void engine_reset(struct card *card, struct engine *e);
void engine_start(struct card *card, struct engine *e, struct chan *ch,
		  const struct gr_class *op, s64 ns);
bool engine_settle(struct card *card, struct engine *e, struct chan *ch);
void engine_event(struct card *card, struct engine *e);

/* ---- pgraph.c: the graphics engine --------------------------------------------------------- */

struct pgraph {
	u32 intr;
};

void pgraph_reset(struct card *card);
void pgraph_done(struct card *card, struct engine *e, struct chan *ch, const struct gr_class *op);
bool pgraph_mthd(struct card *card, struct engine *e, struct chan *ch, u32 subc, u32 mthd,
		 u32 data);
bool pgraph_intr(const struct card *card);
s64 pgraph_data_error(struct card *card, u32 code);
s64 pgraph_trap(struct card *card, u32 unit, u32 ustatus_reg, u32 ustatus);
void pgraph_object(struct card *card, const struct chan *ch, const u32 *state, u32 mthd,
		   struct dmaobj *obj);
s64 pgraph_query(struct card *card, const struct chan *ch, const u32 *state, u32 object,
		 u32 mthd, bool brief);
u32 pgraph_program(struct card *card, const struct dmaobj *code, u64 addr);
u32 pgraph_program_gf100(struct card *card, const struct dmaobj *code, u64 addr);
u32 pgraph_rd(struct card *card, u32 off);
void pgraph_wr(struct card *card, u32 off, u32 val);
u32 pgraph_gf100_rd(struct card *card, u32 off);
void pgraph_gf100_wr(struct card *card, u32 off, u32 val);

/* ---- macro.c: Fermi's macros --------------------------------------------------------------- */

bool macro_run(struct card *card, struct chan *ch);
bool macro_mthd(struct card *card, struct chan *ch, u32 subc, u32 mthd, u32 data);

/* ---- falcon.c: the small processors of GF100 that nouveau loads programs into -------------- */

u32 falcon_rd(struct card *card, u32 off);
void falcon_wr(struct card *card, u32 off, u32 val);
void pmu_reset(struct card *card);
void pce_enable(struct card *card, enum engine_id id, bool on);

/* ---- surface.c: pictures in memory, for the classes that copy and draw --------------------- */

struct surface {
	struct dmaobj obj;
	u64 addr;
	bool linear;
	u32 pitch;		/* linear: bytes from line to line; else bytes in a line */
	u32 height;		/* tiled only: lines, */
	u32 z;			/* layer, */
	u32 block;		/* log2 of the block's size in gobs: bits 0-3 x, 4-7 y, 8-11 z */
};

u32 surface_pixel_bytes(u32 format);
u64 surface_offset(const struct card_chip *chip, const struct surface *s, u64 x, u32 y, u64 *run);
bool surface_copy(struct card *card, const struct surface *dst, u64 dx, u32 dy, enum vm_who dst_who,
		  const struct surface *src, u64 sx, u32 sy, enum vm_who src_who, u64 len,
		  bool *read_failed);
bool surface_write(struct card *card, const struct surface *dst, u64 x, u32 y, const void *buf,
		   u64 len, enum vm_who who);
bool surface_read(struct card *card, const struct surface *src, u64 x, u32 y, void *buf, u64 len,
		  enum vm_who who);

/* ---- fault.c: faults on request ------------------------------------------------------------ */

enum fault_kind {
	FAULT_HANG, FAULT_MMU, FAULT_METHOD, FAULT_SEMAPHORE, FAULT_LOST_IRQ, FAULT_LATE_IRQ,
	FAULT_SPURIOUS_IRQ, FAULT_NOTIFY, FAULT_STOP, FAULT_GONE,
	FAULT_CLOCK_FAST, FAULT_CLOCK_BACK, FAULT_EARLY_TIME, FAULT_HEAL, FAULT_KINDS
};

#define CARD_FAULTS	32
/* How late a late interrupt is. */
#define FAULT_LATE_NS	100000000
#define FAULT_EARLY_NS	15000000

struct fault {
	enum fault_kind kind;
	int chid;		/* -1: any */
	u64 left;		/* due with the so many-th group from now; 0: by time */
	s64 at;
};

bool fault_hits(struct card *card, enum fault_kind kind, const struct chan *ch);
void fault_group(struct card *card, const struct chan *ch);
s64 fault_next(const struct card *card);
void fault_later(struct card *card, enum fault_kind kind, s64 ns);
void fault_event(struct card *card);

/* ---- dev.c -------------------------------------------------------------------------------- */

struct row {
	u32 chid;
	u32 instance;
	bool alive;
	struct {
		s64 busy_ns;
		s64 switch_ns;
		s64 fence_gap_ns;
		u64 groups;
		u64 switches;
	} of[ENGINES];
};

#define GAP_MAX_NS	50000000
#define GAP_STEP_NS	5000

struct card {
	struct card_config config;
	struct card_host host;
	const struct card_chip *chip;
	s64 t0;			/* power-on */
	s64 now;		/* latest time that the host told us */
	s64 t;			/* instant being modelled, <= now */
	u32 budget;		/* work left for this call */
	u8 *vram;
	u64 vram_size;
	u32 *reg;		/* plain registers, by address / 4, */
	bool reg_used[CARD_MMIO_SIZE >> CARD_REG_PAGE];	/* and where any may not be 0 */
	u8 rom[CARD_ROM_SIZE];
	struct pci pci;
	struct ptimer ptimer;
	struct pfb pfb;
	struct pfifo pfifo;
	struct pgraph pgraph;
	struct engine engine[ENGINES];
	struct row *row;
	u32 rows;
	u32 rows_room;
	u64 errors;
	u32 gap[GAP_MAX_NS / GAP_STEP_NS];
	u64 gaps;
	struct fault fault[CARD_FAULTS];	/* not yet due */
	u32 faults;
	u64 faults_done;
	u64 fault_seed;
	u64 cold_seed;
	u64 jitter_seed;
	u64 away;		/* accesses while it was in D3hot */
	bool gone;		/* nothing of it can be reached */
};

u32 dev_row(struct card *card, u32 chid);
void dev_gap(struct card *card, s64 ns);
void dev_off(struct card *card);
void dev_error(struct card *card, const char *what, int chid, u64 value);
u64 dev_random(u64 *state);

static inline s64 dev_scaled(const struct card *card, s64 ns)
{
	return ns * card->config.scale;
}

/* ---- mmio.c ------------------------------------------------------------------------------- */

void mmio_reset(struct card *card);
u32 mmio_rd(struct card *card, u32 off);
void mmio_wr(struct card *card, u32 off, u32 val);

/* Plain registers: what was last written. */
static inline u32 reg_get(const struct card *card, u32 off)
{
	return card->reg[off / 4];
}

static inline void reg_set(struct card *card, u32 off, u32 val)
{
	card->reg[off / 4] = val;
	card->reg_used[off >> CARD_REG_PAGE] = true;
}

#endif
