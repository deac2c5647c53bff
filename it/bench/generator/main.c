/* SPDX-License-Identifier: Apache-2.0 */
/* penstock-generator: sends and receives frames over vhost-user sockets as fast as one core can.
 *
 * A single thread does everything: it sleeps in a read of the standard input, and a run has the core for itself. */
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#include "commands.h"
#include "links.h"

struct options {
	const char *core, *memory, *prefix;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "penstock-generator: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void parse(int argc, char **argv, struct options *options, struct links *links)
{
	static const struct option names[] = {
		{ "core", required_argument, NULL, 'c' }, { "memory", required_argument, NULL, 'm' },
		{ "prefix", required_argument, NULL, 'p' }, { "link", required_argument, NULL, 'l' }, { 0 } };
	int letter;
	while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1) {
		const char *problem = NULL;
		if (letter == 'c')
			options->core = optarg;
		else if (letter == 'm')
			options->memory = optarg;
		else if (letter == 'p')
			options->prefix = optarg;
		else if (letter == 'l')
			problem = links_add(links, optarg);
		else
			exit(2);
		if (problem)
			fail(optarg, problem);
	}
	if (optind < argc || !links->count)
		fail("use", "penstock-generator [--core N] [--memory MB] [--prefix NAME] --link NAME=SOCKET ...");
}

/* DPDK makes its own threads where the process may run: keep them off the core of the switch too. */
static void stay_on(const char *core)
{
	char *end;
	long number = strtol(core, &end, 10);
	cpu_set_t set;
	CPU_ZERO(&set);
	if (end != core && !*end && number >= 0 && number < CPU_SETSIZE)
		CPU_SET((size_t)number, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		fail(core, "no such core");
}

static void start_dpdk(const char *program, const struct options *options)
{
	char lcores[32];
	char *arguments[] = { strdup(program), "--lcores", lcores, "-m", strdup(options->memory),
		"--file-prefix", strdup(options->prefix), "--in-memory", "--single-file-segments", "--no-pci",
		"--no-telemetry" };
	snprintf(lcores, sizeof(lcores), "0@%s", options->core);
	/* Nothing but answers goes to the standard output. */
	rte_openlog_stream(stderr);
	if (rte_eal_init(RTE_DIM(arguments), arguments) < 0)
		fail("DPDK does not start", rte_strerror(rte_errno));
}

int main(int argc, char **argv)
{
	static struct links links;
	struct options options = { .core = "0", .memory = "256", .prefix = "penstock-generator" };
	parse(argc, argv, &options, &links);
	stay_on(options.core);
	/* Drivers print to the standard output too: they get standard error, the answers what it was. */
	FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
	if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		fail("start", "the standard output cannot be moved");
	const char *problem = links_clear_sockets(&links);
	if (problem)
		fail("start", problem);
	start_dpdk(argv[0], &options);
	problem = links_start(&links);
	if (problem)
		fail("start", problem);
	commands_obey(&links, stdin, answers);
	links_stop(&links);
	rte_eal_cleanup();
	return EXIT_SUCCESS;
}
