// SPDX-License-Identifier: GPL-2.0
/*
 * glload - an OpenGL ES client without a window, whose frames take as long as its shader loops.
 *
 *	glload NAME LOOPS DEPTH SECONDS
 *
 * NAME becomes its comm. It draws frames of 128 x 128 pixels, each of LOOPS rounds per pixel, and waits with glFinish()
 * after each DEPTH of them: 1 is a game, many are a bomb. After SECONDS, or SIGTERM, it prints
 * `NAME frames N ms T worst W`: frames waited for, in so many ms, and the longest wait. Exit status 1 and a line on
 * stderr when EGL or OpenGL reports an error, or nothing was drawn.
 */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include "gl.h"

#define SIZE	128

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* A target, a program and a triangle over all of it. Return: where the shader takes what differs from frame to frame. */
static GLint prepare(long loops)
{
	static const GLfloat corners[] = { -1, -1, 3, -1, -1, 3 };
	GLuint program, target, frame;
	char text[400];

	snprintf(text, sizeof(text),
		 "precision highp float; uniform float k; void main() { float x = gl_FragCoord.x * 0.01 + k;"
		 "for (int i = 0; i < %ld; i++) x = sin(x) * 1.01 + 0.1; gl_FragColor = vec4(x); }", loops);
	program = gl_program("attribute vec2 q; void main() { gl_Position = vec4(q, 0., 1.); }", text, "q");
	glGenTextures(1, &target);
	glBindTexture(GL_TEXTURE_2D, target);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &frame);
	glBindFramebuffer(GL_FRAMEBUFFER, frame);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
	gl_target(SIZE);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
	return glGetUniformLocation(program, "k");
}

int main(int argc, char **argv)
{
	double begin, last, t, worst = 0;
	unsigned long frames = 0;
	EGLDisplay display;
	EGLConfig config;
	long depth, i;
	GLenum error;
	GLint k;

	if (argc != 5) {
		fputs("usage: glload NAME LOOPS DEPTH SECONDS\n", stderr);
		return 2;
	}
	depth = atol(argv[3]);
	prctl(PR_SET_NAME, argv[1]);
	signal(SIGTERM, on_signal);
	display = gl_display(&config);
	gl_context(display, config);
	k = prepare(atol(argv[2]));
	glDrawArrays(GL_TRIANGLES, 0, 3);	/* the host compiles */
	glFinish();
	begin = last = t = now_ms();
	while (!stop && t - begin < atof(argv[4]) * 1e3) {
		for (i = 0; i < depth && !stop; i++) {
			glUniform1f(k, (float)(frames + i) / 8);
			glDrawArrays(GL_TRIANGLES, 0, 3);
			glFlush();
		}
		glFinish();
		frames += i;
		error = glGetError();
		if (error != GL_NO_ERROR)
			die("drawing", error);
		t = now_ms();
		worst = t - last > worst ? t - last : worst;
		last = t;
	}
	printf("%s frames %lu ms %.0f worst %.0f\n", argv[1], frames, t - begin, worst);
	return !frames;
}
