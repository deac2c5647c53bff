// SPDX-License-Identifier: Apache-2.0
/** Which member of the cluster of controllers has the engine: the one that leads the shard of the configuration. */
package io.penstock.membership;
