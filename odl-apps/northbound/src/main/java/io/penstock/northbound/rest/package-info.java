// SPDX-License-Identifier: Apache-2.0
/** The RPCs of penstock-operations, answered from {@link io.penstock.operations.Operations}. */
package io.penstock.northbound.rest;
