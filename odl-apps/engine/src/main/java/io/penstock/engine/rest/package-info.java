// SPDX-License-Identifier: Apache-2.0
/** The RPCs of penstock-operations, answered from {@link io.penstock.engine.api.Operations}. */
package io.penstock.engine.rest;
