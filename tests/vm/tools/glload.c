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
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define SIZE	128

static volatile sig_atomic_t stop;

static void die(const char *what, unsigned int error)
{
	fprintf(stderr, "glload: %s: error 0x%x\n", what, error);
	exit(1);
}

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

static void make_context(void)
{
	static const EGLint wanted[] = { EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE };
	static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	PFNEGLGETPLATFORMDISPLAYEXTPROC get_display;
	EGLDisplay display;
	EGLContext context;
	EGLConfig config;
	EGLint n;

	get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	display = get_display ? get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
	if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
	    !eglChooseConfig(display, wanted, &config, 1, &n) || n < 1)
		die("no display", eglGetError());
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
	if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		die("no context", eglGetError());
}

static GLuint shader(GLenum kind, const char *text)
{
	GLuint s = glCreateShader(kind);
	GLint ok;

	glShaderSource(s, 1, &text, NULL);
	glCompileShader(s);
	glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
	if (!ok)
		die("a shader does not compile", glGetError());
	return s;
}

/* A target, a program and a triangle over all of it. Return: where the shader takes what differs from frame to frame. */
static GLint prepare(long loops)
{
	static const GLfloat corners[] = { -1, -1, 3, -1, -1, 3 };
	const GLuint program = glCreateProgram();
	GLuint target, frame;
	char text[400];
	GLint ok;

	snprintf(text, sizeof(text),
		 "precision highp float; uniform float k; void main() { float x = gl_FragCoord.x * 0.01 + k;"
		 "for (int i = 0; i < %ld; i++) x = sin(x) * 1.01 + 0.1; gl_FragColor = vec4(x); }", loops);
	glAttachShader(program, shader(GL_VERTEX_SHADER, "attribute vec2 q; void main() { gl_Position = vec4(q, 0., 1.); }"));
	glAttachShader(program, shader(GL_FRAGMENT_SHADER, text));
	glBindAttribLocation(program, 0, "q");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		die("the program does not link", glGetError());
	glUseProgram(program);
	glGenTextures(1, &target);
	glBindTexture(GL_TEXTURE_2D, target);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &frame);
	glBindFramebuffer(GL_FRAMEBUFFER, frame);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("the framebuffer is not complete", glGetError());
	glViewport(0, 0, SIZE, SIZE);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
	return glGetUniformLocation(program, "k");
}

int main(int argc, char **argv)
{
	double begin, last, t, worst = 0;
	unsigned long frames = 0;
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
	make_context();
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
