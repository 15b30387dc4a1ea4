/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures, drawn by gnuplot. Called by plot.c and by the simulator's reports. One thread.
 */
#ifndef TGS_PICTURE_H
#define TGS_PICTURE_H

#include <stdio.h>

#define TGS_STRETCHES	4000	/* runs and waits in a picture, as many as one can show */

/**
 * tgs_picture_open() - begin a picture
 * @to: where to write gnuplot's commands; tgs_picture_close() when done
 * @path: file to draw; its name ends in .png, .svg or .pdf
 * @error: room for TGS_MESSAGE bytes
 *
 * Return: 0, or a negative errno with @error filled in.
 */
int tgs_picture_open(FILE **to, const char *path, char *error);
/**
 * tgs_picture_close() - draw it
 *
 * Return: 0, or a negative errno with @error filled in; then what was in @path is as it was.
 */
int tgs_picture_close(FILE *to, const char *path, char *error);

#endif /* TGS_PICTURE_H */
