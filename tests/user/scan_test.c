// SPDX-License-Identifier: GPL-2.0
/*
 * What the OpenCL layer sees in a source (src/user/cl/scan.c), and what it makes of it (rewrite.c), by example.
 */
#include "../lib/test.h"
#include "../../src/user/cl/tokens.c"
#include "../../src/user/cl/scan.c"
#include "../../src/user/cl/rewrite.c"

#define BODY	"{ a[get_global_id(0)] = 1; }\n"
#define KERNEL	"kernel void k(global uint *a) "
#define CONSTANTS \
	"typedef uint t;\nstruct s { uint x; };\nstruct r;\nenum { A = 1 };\nconstant uint n = 1;\nconst sampler_t m = 1;\n" \
	"const uint c[2] = { 1, 2 };\n#define F static inline\nF uint g(uint x[2]);\n#define C constant\nC uint d[] = { 1 };\nstatic void h(uint x);\n"

static const struct {
	const char *name, *source, *options;
	uint32_t uses;
} rows[] = {
	{ "nothing", KERNEL BODY, "", 0 },
	{ "a group's number", KERNEL "{ a[get_group_id(0)] = 1; }", "", USES_GRID | USES_GROUPS },
	{ "the grid's size", KERNEL "{ a[0] = get_global_size (0); }", "", USES_GRID },
	{ "in a comment or a string", "/* get_group_id(0) \n atomic_inc */ // printf()\n" KERNEL "{ f(\"volatile\\\"\"); }", "", 0 },
	{ "in a function that it calls", "uint g(void) { return atomic_inc(0); }\nuint f(void) { return g(); }\n"
	  KERNEL "{ a[0] = f(); }", "", USES_ATOMICS },
	{ "in a function that it does not call", "uint g(global uint *a) { return atomic_inc(a); }\n" KERNEL BODY, "", 0 },
	{ "in another kernel", "kernel void j(global uint *a) { printf(\"x\"); }\n" KERNEL BODY, "", 0 },
	{ "in a macro", "#define F(x) atom_add(x, 1)\n#define G F\n" KERNEL "{ G(a); }", "", USES_ATOMICS },
	{ "in a macro that it does not use", "#define F(x) atom_add(x, 1)\n" KERNEL BODY, "", 0 },
	{ "in a parameter", "kernel void k(global volatile uint *a) " BODY, "", USES_VOLATILE },
	{ "at file scope", "global atomic_int n;\n" KERNEL BODY, "", USES_ATOMICS },
	{ "in a name that is cut by the line's end", KERNEL "{ a[get_gr\\\noup_id(0)] = 1; }", "", USES_GRID | USES_GROUPS },
	{ "in a name that is pasted", "#define F(x) get_##x\n" KERNEL "{ a[F(group_id)(0)] = 1; }", "", USES_GRID },
	{ "in the build's options", KERNEL "{ F(a); }", "-cl-std=CL2.0 -DF=atomic_inc", USES_ATOMICS },
	{ "in an option in quotes", KERNEL "{ F(a); }", "\"-DF=atomic_inc\"", USES_ATOMICS },
	{ "in an option behind two slashes", KERNEL "{ F(a); }", "-I /opt//cl -I '/*' -DF=atomic_inc", USES_ATOMICS },
	{ "by an option that names a function", "void g(global uint *a) { printf(\"x\"); }\n" KERNEL "{ F(a); }", "-D F=g",
	  USES_PRINTF },
	{ "an option that defines what the source may", "#ifndef N\n#define N 8\n#endif\n"
	  "void g(global uint *a) { printf(\"x\"); }\n" KERNEL BODY, "-D N=9", 0 },
	{ "a name that is not called", "#define CALL(f) (f)(0)\n" KERNEL "{ a[0] = CALL(get_global_size); }", "",
	  USES_GRID | USES_SPELLING },
	{ "a name that is defined anew", "#define get_global_size(d) 7\n" KERNEL "{ a[0] = get_global_size(0); }", "",
	  USES_GRID | USES_SPELLING },
	{ "a file that is included", "#include \"x.h\"\n" KERNEL BODY, "", USES_INCLUDE | USES_GRID | USES_GROUPS },
	{ "a directive after a trigraph", "?\?=include \"x.h\"\n" KERNEL BODY, "", USES_SPELLING },
	{ "a directive after a digraph", "%:define F printf\n" KERNEL "{ F(a); }", "", USES_SPELLING | USES_PRINTF },
	{ "a kernel that a macro names", "#define NAME k\nvoid g(void) { printf(\"\"); }\nkernel void NAME(global uint *a) "
	  BODY, "", USES_PRINTF },
	{ "brackets that do not match", "#ifdef A\n" KERNEL "{\n#else\nkernel void j(global uint *a) {\n#endif\n"
	  "printf(\"\"); }", "", USES_PRINTF },
	{ "pipes", "kernel void k(read_only pipe int p) { }", "", USES_PIPES },
	{ "local memory, barriers", "kernel void k(local uint *a) { barrier(1); }", "", USES_GROUPS },
	{ "kernels of its own", KERNEL "{ enqueue_kernel(get_default_queue(), 0, r, ^{ }); }", "", USES_ENQUEUE },
	{ "assembler", KERNEL "{ __asm__ (\"x\"); }", "", USES_VENDOR },
	{ "attributes", "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global uint *a) "
	  "__attribute__((nothing)) " BODY, "", 0 },
	{ "a name pasted in an option", KERNEL "{ F(group_id)(0); }", "-D F(x)=get_##x", USES_GRID },
	{ "a name that an option defines", KERNEL "{ get_global_size(0); }", "-Dget_global_size(d)=7", USES_GRID | USES_SPELLING },
	{ "an option's macro with arguments", "F(f) { printf(\"x\"); }\n" KERNEL "{ f(); }", "-DF(x)=void x(void)", USES_PRINTF },
	{ "an option's macro that renames", "void g(void) { printf(\"x\"); }\n" KERNEL "{ f(); }", "-Dg=f", USES_PRINTF },
	{ "a comment that is none", "#warning a /* b\n" KERNEL BODY, "", USES_SPELLING },
	{ "a comment that is one", "/* a warning */ /* b */\n" KERNEL BODY, "", 0 },
	{ "a macro with half a function", "#define HALF {\nvoid j(void) { printf(\"x\"); }\n" KERNEL BODY, "", USES_PRINTF },
	{ "a macro with a function", "#define F(x) void x(void) { f((int)1); }\nvoid j(void) { printf(\"x\"); }\n" KERNEL BODY,
	  "", 0 },
	{ "what a block calls", "void h(void) { printf(\"x\"); }\nvoid (^f)(void) = ^(void) { h(); };\n" KERNEL "{ f(); }", "",
	  USES_PRINTF },
	{ "a table of functions", "void h(void) { printf(\"x\"); }\nconstant fun f[] = { h };\n" KERNEL "{ f[0](); }", "",
	  USES_PRINTF },
	{ "a directive before a function", "void j(void) { printf(\"x\"); }\n#if defined(A)\n" KERNEL BODY "#endif\n", "", 0 },
	{ "C++", KERNEL BODY, "-cl-std=CLC++2021", USES_SPELLING },
	{ "a compiler's own name", "uint _Z15get_global_sizej(uint);\n" KERNEL "{ _Z15get_global_sizej(0); }", "", USES_VENDOR },
	{ "attributes in brackets", "void f(void) [[x::y(1)]] { printf(\"x\"); }\n" KERNEL "{ f(); }", "", USES_PRINTF },
	{ "a structure's attribute", "struct A(8) s { uint x; };\nkernel void j(void) { printf(\"x\"); }\n" KERNEL BODY, "-DA(x)=",
	  USES_PRINTF },
	{ "a structure's attribute by a macro", "#define A(x) __attribute__((aligned(x)))\nstruct A(8) s { uint x; };\n"
	  "kernel void j(void) { printf(\"x\"); }\n" KERNEL BODY, "", 0 },
	{ "a macro that is used at file scope", "#define N 8\n#define A(x) __attribute__((x))\nuint f(uint x[N]);\n"
	  "uint g(uint x) { printf(\"x\"); }\nA(f(1)) uint f(uint x[N]) { return 1; }\n" KERNEL "{ f(0); }", "", 0 },
	{ "nothing at all", "", "", 0 },
	{ "an end in a comment", "/* " KERNEL, "", 0 },
	{ "an end in a string", KERNEL "{ \"", "", 0 },
	{ "an end behind a line that goes on", KERNEL "{ }\\", "", 0 },
};

static const struct {
	const char *name, *source, *result;
} changes[] = {
	{ "a kernel", KERNEL BODY, "kernel void k(ulong16 tg_slice, global uint *a) " BODY },
	{ "without parameters", "kernel void k() { }", "kernel void k(ulong16 tg_slice) { }" },
	{ "with void", "uint f( void );\nuint f(void) { return 1; }",
	  "uint f(ulong16 tg_slice);\nuint f(ulong16 tg_slice) { return 1; }" },
	{ "calls", "uint f(uint x) { return x; }\nuint g() { return f(f(1)); }\n#define F(x) f(x) + g()\n" KERNEL "{ F(1); }",
	  "uint f(ulong16 tg_slice, uint x) { return x; }\n"
	  "uint g(ulong16 tg_slice) { return f(tg_slice, f(tg_slice, 1)); }\n"
	  "#define F(x) f(tg_slice, x) + g(tg_slice)\nkernel void k(ulong16 tg_slice, global uint *a) { F(1); }" },
	{ "a member is no call", "void f(uint x) { s.f(1); t->f(2); }", "void f(ulong16 tg_slice, uint x) { s.f(1); t->f(2); }" },
	{ "lines that were joined are made up for", "void f(\\\n) { }\nvoid g() { }", "void f(ulong16 tg_slice) { }\n\n"
	  "void g(ulong16 tg_slice) { }" },
	{ "brackets that do not match are left alone", "void f() { { }", NULL },
	{ "functions that share a name are left alone", "uint __attribute__((overloadable)) f(uint x) { }", NULL },
	{ "a variable of the program is left alone", "global uint n;\n" KERNEL "{ n = 1; }", NULL },
	{ "one without a word", "uint n;\n" KERNEL "{ n = 1; }", NULL },
	{ "one with a value", "#pragma x\nuint n[2] = { 1, 2 };\n" KERNEL "{ n = 1; }", NULL },
	{ "one of a structure's kind", "struct s { uint x; } n;\n" KERNEL "{ n = 1; }", NULL },
	{ "one that a macro makes", "#define VAR(n) global uint n\nVAR(n);\n" KERNEL "{ n = 1; }", NULL },
	{ "a function's own", KERNEL "{ static global uint n; n = 1; }", NULL },
	{ "what is no variable", CONSTANTS, CONSTANTS },
};

/* Sources with bytes changed: none may end the program, and each is read to its end. */
static unsigned int mutate(unsigned int times)
{
	static const char bytes[] = "(){}#\"'\\\n/*;,.%?:=ak0 ";
	uint64_t state = 88172645463325252ull;
	unsigned int nr = 0;
	struct scan s;
	char text[512];
	int i;

	while (times--) {
		snprintf(text, sizeof(text), "%s", rows[times % (sizeof(rows) / sizeof(*rows))].source);
		for (i = 0; i < 3 && *text; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			text[state % strlen(text)] = bytes[(state >> 32) % (sizeof(bytes) - 1)];
		}
		if (scan(&s, text, "-D X=k")) {
			nr++;
			scan_uses(&s, "k");
			free(rewrite(&s));
		}
		scan_free(&s);
	}
	return nr;
}

int main(void)
{
	struct scan s;
	uint32_t uses;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uses = scan(&s, rows[i].source, rows[i].options) ? scan_uses(&s, "k") : ~0u;
		test_row(rows[i].name, uses == rows[i].uses, "0x%x, not 0x%x", uses, rows[i].uses);
		text = rewrite(&s);	/* whatever it is, it does not end the program */
		free(text);
		scan_free(&s);
	}
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		text = scan(&s, changes[i].source, "") ? rewrite(&s) : NULL;
		test_row(changes[i].name, changes[i].result ? text && !strcmp(text + sizeof(prologue) - 1, changes[i].result) : !text,
			 "%s", text ? text + sizeof(prologue) - 1 : "nothing");
		free(text);
		scan_free(&s);
	}
	i = mutate(20000);
	test_row("20000 changed sources are read", i == 20000, "%zu of them", i);
	return test_end();
}
