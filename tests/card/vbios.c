// SPDX-License-Identifier: GPL-2.0
/* vbios.c - the structures that nouveau looks for. */
#include <string.h>

#include "lib.h"

int main(void)
{
	u8 rom[4096], sum = 0;
	struct bench b;
	u32 pcir, dcb, bit = 0;

	bench_init(&b, 1);
	card_read(b.card, b.now, CARD_BAR0, 0x300000, rom, sizeof(rom));
	for (u32 i = 0; i < sizeof(rom); i++)
		sum += rom[i];
	check(rom[0] == 0x55 && rom[1] == 0xaa, "ROM signature", "%02x%02x", rom[0], rom[1]);
	check_eq("length in 512-byte units", rom[2] * 512, sizeof(rom));
	check_eq("checksum", sum, 0);
	pcir = rom[0x18] | rom[0x19] << 8;
	check(!memcmp(rom + pcir, "PCIR", 4), "PCI data structure", "at %#x", pcir);
	check_eq("it is this device's", rom[pcir + 6] | rom[pcir + 7] << 8, 0x0605);
	check(rom[pcir + 21] & 0x80, "it is the last image", "%#x", rom[pcir + 21]);
	for (u32 i = 0; i + 6 < sizeof(rom) && !bit; i++)
		if (!memcmp(rom + i, "\xff\xb8\x42IT", 6))
			bit = i;
	check(bit, "BIT table", "none");
	check_eq("its first entry is BIOS information", rom[bit + 12], 'i');
	dcb = rom[0x36] | rom[0x37] << 8;
	check_eq("DCB version 4.0", rom[dcb], 0x40);
	check(!memcmp(rom + dcb + 6, "\xcb\xbd\xdc\x4e", 4), "DCB signature", "other");
	wr(&b, 0x300000, 0);
	check_eq("the ROM cannot be written", rd(&b, 0x300000) & 0xffff, 0xaa55);
	check_eq("that is logged", b.logs, 1);
	bench_fini(&b);
	return done();
}
