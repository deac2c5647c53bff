/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

/* A full ring each way, answers waiting in the other, and what the pool's cache holds back. */
#define BUFFERS 4095
#define CACHE 256

const char *links_add(struct links *links, const char *definition)
{
	const char *path = strchr(definition, '=');
	if (links->count == LINKS_MAX)
		return "too many links";
	if (!path || path == definition || !path[1] || strchr(path, ','))
		return "a link is NAME=PATH, and the path has no comma";
	if (strlen(path + 1) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return "the path is too long for a socket";
	if (links_find(links, definition, (size_t)(path - definition)))
		return "two links of the same name";
	struct link *link = &links->list[links->count++];
	link->name = strndup(definition, (size_t)(path - definition));
	link->path = strdup(path + 1);
	return link->name && link->path ? NULL : "no memory";
}

const char *links_clear_sockets(const struct links *links)
{
	for (int i = 0; i < links->count; i++) {
		struct stat status;
		if (lstat(links->list[i].path, &status) != 0)
			continue;
		if (!S_ISSOCK(status.st_mode))
			return "the path of a link is a file that is no socket";
		if (unlink(links->list[i].path) != 0)
			return strerror(errno);
	}
	return NULL;
}

static const char *start(struct link *link, int number)
{
	char name[RTE_ETH_NAME_MAX_LEN], arguments[PATH_MAX + 64];
	snprintf(name, sizeof(name), "net_virtio_user%d", number);
	snprintf(arguments, sizeof(arguments), "path=%s,server=1,queue_size=%d", link->path, RING_SIZE);
	if (rte_eal_hotplug_add("vdev", name, arguments) != 0 || rte_eth_dev_get_port_by_name(name, &link->port) != 0)
		return "the device cannot be made: is DPDK's virtio driver installed?";
	int socket = rte_eth_dev_socket_id(link->port);
	snprintf(name, sizeof(name), "receive%d", number);
	link->receive_pool = rte_pktmbuf_pool_create(name, BUFFERS, CACHE, 0, RTE_MBUF_DEFAULT_BUF_SIZE, socket);
	snprintf(name, sizeof(name), "send%d", number);
	link->send_pool = rte_pktmbuf_pool_create(name, BUFFERS, CACHE, 0, RTE_MBUF_DEFAULT_BUF_SIZE, socket);
	if (!link->receive_pool || !link->send_pool)
		return "no memory for buffers: give the generator more";
	/* Without this interrupt the driver never listens again after the switch has gone. */
	struct rte_eth_conf configuration = { .intr_conf = { .lsc = 1 } };
	if (rte_eth_dev_configure(link->port, 1, 1, &configuration) != 0 ||
	    rte_eth_rx_queue_setup(link->port, 0, RING_SIZE, (unsigned int)socket, NULL, link->receive_pool) != 0 ||
	    rte_eth_tx_queue_setup(link->port, 0, SEND_RING, (unsigned int)socket, NULL) != 0 ||
	    rte_eth_dev_start(link->port) != 0)
		return "the device does not start";
	rte_eth_promiscuous_enable(link->port);   /* vhost filters nothing; some versions refuse, which is fine */
	return NULL;
}

static void *start_all(void *argument)
{
	struct links *links = argument;
	for (int i = 0; i < links->count; i++) {
		struct link *link = &links->list[i];
		const char *problem = start(link, i);
		if (problem) {
			fprintf(stderr, "penstock-generator: link %s: %s\n", link->name, problem);
			_exit(EXIT_FAILURE);
		}
		atomic_store(&link->started, true);
	}
	return NULL;
}

const char *links_start(struct links *links)
{
	pthread_t thread;
	int problem = pthread_create(&thread, NULL, start_all, links);
	return problem ? strerror(problem) : NULL;
}

struct link *links_find(struct links *links, const char *name, size_t length)
{
	for (int i = 0; i < links->count; i++)
		if (strlen(links->list[i].name) == length && memcmp(links->list[i].name, name, length) == 0)
			return &links->list[i];
	return NULL;
}

bool link_is_up(const struct link *link)
{
	struct rte_eth_link status = { 0 };
	return atomic_load(&link->started) && rte_eth_link_get_nowait(link->port, &status) == 0 &&
	       status.link_status == RTE_ETH_LINK_UP;
}

void links_stop(struct links *links)
{
	for (int i = 0; i < links->count; i++) {
		if (atomic_load(&links->list[i].started)) {
			rte_eth_dev_stop(links->list[i].port);
			rte_eth_dev_close(links->list[i].port);
		}
		unlink(links->list[i].path);
	}
}
