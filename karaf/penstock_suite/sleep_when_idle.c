/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin of DPDK: testpmd sleeps while no packets come, as Open vSwitch does with pmd-sleep-max. ethdev calls back after
 * each look into a queue; DPDK's own power management (rte_power_pmd_mgmt) sleeps in the same callback. Other programs
 * that load the plugin stay as they are.
 */

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include <rte_common.h>
#include <rte_ethdev.h>

#define PROGRAM "dpdk-testpmd"
/* Looks without a packet before testpmd sleeps: some over each of its queues, of which it has 32 at most. */
#define LOOKS 64

static const struct timespec sleep_time = {.tv_nsec = 1000000};
/* Between two searches for devices that testpmd has configured since. */
static const struct timespec search_time = {.tv_nsec = 50000000};

static uint16_t
sleep_when_idle(uint16_t port, uint16_t queue, struct rte_mbuf **packets, uint16_t count, uint16_t most, void *unused)
{
	static _Thread_local unsigned int looks;

	RTE_SET_USED(port);
	RTE_SET_USED(queue);
	RTE_SET_USED(packets);
	RTE_SET_USED(most);
	RTE_SET_USED(unused);
	if (count > 0) {
		looks = 0;
	} else if (++looks == LOOKS) {
		looks = 0;
		nanosleep(&sleep_time, NULL);
	}
	return count;
}

static void *
find_devices(void *unused)
{
	static uint16_t queues[RTE_MAX_ETHPORTS];
	struct rte_eth_dev_info info;
	uint16_t port;

	for (;;) {
		nanosleep(&search_time, NULL);
		RTE_ETH_FOREACH_DEV(port) {
			if (rte_eth_dev_info_get(port, &info) != 0)
				continue;
			while (queues[port] < info.nb_rx_queues &&
			       rte_eth_add_rx_callback(port, queues[port], sleep_when_idle, NULL) != NULL)
				queues[port]++;
		}
	}
	return unused;
}

__attribute__((constructor)) static void
begin(void)
{
	pthread_t thread;

	if (strcmp(program_invocation_short_name, PROGRAM) == 0 &&
	    pthread_create(&thread, NULL, find_devices, NULL) == 0)
		pthread_detach(thread);
}
