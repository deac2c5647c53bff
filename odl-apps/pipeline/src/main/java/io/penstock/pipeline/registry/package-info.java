// SPDX-License-Identifier: Apache-2.0
/**
 * The one place where tables with their contracts, register fields, cookies, priorities, zones and the product's own
 * addresses are declared. docs/pipeline.md is generated from here and from the stages. Knows nothing of intent or of
 * how flows are sent.
 */
package io.penstock.pipeline.registry;
