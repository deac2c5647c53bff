// SPDX-License-Identifier: Apache-2.0
/** Threads of the engine and of its parts. Depends on no other package of the engine. */
package io.penstock.base.tasks;
