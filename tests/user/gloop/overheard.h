/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a program writes to standard error. For turn_test.cc and tgd_test.cc.
 */
#ifndef TESTS_GLOOP_OVERHEARD_H
#define TESTS_GLOOP_OVERHEARD_H

#include <stdio.h>
#include <unistd.h>

#include <string>

/* What is written to standard error as long as this lives */
class overheard {
public:
	overheard() : file(tmpfile()), old(dup(2)) { dup2(fileno(file), 2); }
	~overheard()
	{
		dup2(old, 2);
		close(old);
		fclose(file);
	}

	std::string text()
	{
		std::string s(1000, 0);

		s.resize(pread(fileno(file), &s[0], s.size(), 0));
		return s;
	}

private:
	FILE *file;
	int old;
};

#endif /* TESTS_GLOOP_OVERHEARD_H */
