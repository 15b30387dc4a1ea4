/* SPDX-License-Identifier: GPL-2.0 */
/*
 * OpenGL ES without a window, for the programs that the boots with Mesa run: glload and glthreads, one file each. An error
 * ends the program, with status 1 and a line on stderr.
 */
#ifndef TESTS_VM_TOOLS_GL_H
#define TESTS_VM_TOOLS_GL_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static inline void die(const char *what, unsigned int error)
{
	fprintf(stderr, "%s: %s: error 0x%x\n", program_invocation_short_name, what, error);
	exit(1);
}

static inline EGLDisplay gl_display(EGLConfig *config)
{
	static const EGLint wanted[] = { EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE };
	PFNEGLGETPLATFORMDISPLAYEXTPROC get_display;
	EGLDisplay display;
	EGLint n;

	get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	display = get_display ? get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
	if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
	    !eglChooseConfig(display, wanted, config, 1, &n) || n < 1)
		die("no display", eglGetError());
	return display;
}

/* One that is current in this thread. */
static inline EGLContext gl_context(EGLDisplay display, EGLConfig config)
{
	static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);

	if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		die("no context", eglGetError());
	return context;
}

static inline GLuint gl_shader(GLenum kind, const char *text)
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

/* One that is in use from now on; its attribute 0 is called @attribute. */
static inline GLuint gl_program(const char *vertex, const char *fragment, const char *attribute)
{
	const GLuint program = glCreateProgram();
	GLint ok;

	glAttachShader(program, gl_shader(GL_VERTEX_SHADER, vertex));
	glAttachShader(program, gl_shader(GL_FRAGMENT_SHADER, fragment));
	glBindAttribLocation(program, 0, attribute);
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		die("the program does not link", glGetError());
	glUseProgram(program);
	return program;
}

/* The framebuffer that is bound is drawn to, all of it. */
static inline void gl_target(GLsizei size)
{
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("the framebuffer is not complete", glGetError());
	glViewport(0, 0, size, size);
}

#endif /* TESTS_VM_TOOLS_GL_H */
