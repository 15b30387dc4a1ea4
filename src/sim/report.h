/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run's results: a table, JSON, CSV, a picture. Called by tgsim after a run.
 */
#ifndef TGS_REPORT_H
#define TGS_REPORT_H

#include <stdio.h>

#include "run.h"

void tgs_report_text(const struct tgs_result *result, FILE *to);
void tgs_report_json(const struct tgs_result *result, FILE *to);
void tgs_report_csv(const struct tgs_result *result, FILE *to);
/**
 * tgs_report_plot() - draw with gnuplot which clients ran when, and their shares over time
 * @result: of a run
 * @path: picture; its name ends in .png, .svg or .pdf
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_report_plot(const struct tgs_result *result, const char *path, char *error);

#endif /* TGS_REPORT_H */
