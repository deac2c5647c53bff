/* SPDX-License-Identifier: Apache-2.0 */
/* A library to be loaded first: the time of day is CLOCK_AHEAD seconds ahead. Other clocks, and pauses, are left as
 * they are, and cost no more: with libfaketime 0.9.10 a pause of 1 ms took 11 ms, too long for a controller to start. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static int (*read_clock)(clockid_t, struct timespec *);
static long ahead;

__attribute__((constructor)) static void begin(void)
{
    const char *seconds = getenv("CLOCK_AHEAD");

    read_clock = dlsym(RTLD_NEXT, "clock_gettime");
    ahead = seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!read_clock)
        begin(); /* Called by another constructor. */
    int code = read_clock(clock, now);

    if (!code && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += ahead;
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec exact;

    clock_gettime(CLOCK_REALTIME, &exact);
    if (now)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
