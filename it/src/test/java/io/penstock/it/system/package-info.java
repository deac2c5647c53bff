// SPDX-License-Identifier: Apache-2.0
/**
 * The whole: the built distribution, driven over RESTCONF and by its console, with two nodes and real packets. All
 * classes share one controller, which {@link io.penstock.it.system.OnSystem} starts; each begins with
 * {@link io.penstock.it.system.EdgeSystem#reset()}.
 */
package io.penstock.it.system;
