// SPDX-License-Identifier: GPL-2.0
/*
 * glthreads - an OpenGL ES program with two contexts, each current in a thread of its own, and no
 * window: Debian has none that is threaded and needs no X server.
 *
 *	glthreads [SECONDS]
 *
 * Each thread draws frames into a renderbuffer, every other one waited for with glFinish(), until
 * SIGTERM or for SECONDS since both have drawn one. Prints both numbers of frames. Exit status 1 and a line on stderr
 * when EGL or OpenGL reports an error, or a thread drew nothing.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include "gl.h"

#define THREADS		2
#define SIZE		2048
#define TRIANGLES	64

static EGLDisplay display;
static EGLConfig config;
static volatile sig_atomic_t stop;
static _Atomic unsigned long frames[THREADS];

/* A target, a program and vertices for the context that is current. */
static void prepare(void)
{
	static const char vertex[] =
		"attribute vec2 at; uniform mediump float turn;"
		"void main() { gl_Position = vec4(at.x * cos(turn), at.y * sin(turn), 0.0, 1.0); }";
	static const char fragment[] =
		"precision mediump float; uniform mediump float turn;"
		"void main() { gl_FragColor = vec4(fract(turn), 0.5, gl_FragCoord.x / 2048.0, 1.0); }";
	static GLfloat at[TRIANGLES * 6];
	GLuint buffer, target, frame;

	gl_program(vertex, fragment, "at");
	for (int i = 0; i < TRIANGLES * 6; i++)
		at[i] = (float)(i * 37 % 200) / 100 - 1;
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(at), at, GL_STATIC_DRAW);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	glGenRenderbuffers(1, &target);
	glBindRenderbuffer(GL_RENDERBUFFER, target);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, SIZE, SIZE);
	glGenFramebuffers(1, &frame);
	glBindFramebuffer(GL_FRAMEBUFFER, frame);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target);
	gl_target(SIZE);
}

static void *draw(void *arg)
{
	const EGLContext context = gl_context(display, config);
	_Atomic unsigned long *n = arg;
	GLint turn, program;
	GLenum error;

	prepare();
	glGetIntegerv(GL_CURRENT_PROGRAM, &program);
	turn = glGetUniformLocation(program, "turn");
	while (!stop) {
		glClearColor(0, 0, 0, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		glUniform1f(turn, (float)*n / 64);
		glDrawArrays(GL_TRIANGLES, 0, TRIANGLES * 3);
		if (*n & 1)
			glFinish();
		else
			glFlush();
		error = glGetError();
		if (error != GL_NO_ERROR)
			die("drawing", error);
		++*n;
	}
	glFinish();
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroyContext(display, context);
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

int main(int argc, char **argv)
{
	struct timespec nap = { 0, 10000000 };
	long naps = argc > 1 ? atol(argv[1]) * 100 : -1;
	pthread_t thread[THREADS];

	signal(SIGTERM, on_signal);
	display = gl_display(&config);
	for (long i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, draw, &frames[i]))
			die("no thread", 0);
	}
	while (!stop && naps != 0) {
		nanosleep(&nap, NULL);
		if (frames[0] && frames[1])
			naps--;
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("frames %lu %lu\n", frames[0], frames[1]);
	eglTerminate(display);
	return !(frames[0] && frames[1]);
}
