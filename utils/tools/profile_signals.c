/* The handler tells a thread, as nothing that writes a file may be called in it (POSIX.1-2008, 2.4.3). */
#include "utils/tools/profile_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/profile.h"

static const struct {
	int number;
	const char *what;
} signals[] = {{SIGINT, "ended by SIGINT"}, {SIGTERM, "ended by SIGTERM"}, {SIGHUP, "ended by SIGHUP"}};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static int told[2]; /* a pipe, of places in `signals` */

static void tell(int number)
{
	int before = errno;
	for (unsigned char n = 0; n < SIGNAL_COUNT; n++)
		if (signals[n].number == number && write(told[1], &n, 1) != 1)
			raise(number); /* the handler is gone: it ends the process */
	errno = before;
}

static void end_by(int number)
{
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, number);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	kill(getpid(), number);
}

static void *await_signal(void *argument)
{
	unsigned char n = 0;
	ssize_t got;
	(void)argument;
	do
		got = read(told[0], &n, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1 || n >= SIGNAL_COUNT)
		return NULL;
	struct text error = {0};
	profile_mark(signals[n].what);
	if (!profile_finish(&error))
		fprintf(stderr, "sspur: %s\n", text_string(&error));
	text_free(&error);
	end_by(signals[n].number);
	return NULL;
}

/* All signals go to the other threads. */
static bool start_thread(void)
{
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(&thread, NULL, await_signal, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_detach(thread);
	return started;
}

void profile_signals_watch(void)
{
	if (pipe(told) != 0)
		return;
	fcntl(told[0], F_SETFD, FD_CLOEXEC);
	fcntl(told[1], F_SETFD, FD_CLOEXEC);
	if (!start_thread())
		return;
	for (size_t n = 0; n < SIGNAL_COUNT; n++) {
		struct sigaction old, action = {.sa_handler = tell, .sa_flags = SA_RESTART | SA_RESETHAND};
		sigemptyset(&action.sa_mask);
		if (sigaction(signals[n].number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[n].number, &action, NULL);
	}
}
