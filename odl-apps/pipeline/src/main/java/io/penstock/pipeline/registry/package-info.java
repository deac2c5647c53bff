// SPDX-License-Identifier: Apache-2.0
/**
 * The one place where tables, register fields, cookies, priorities, zones and fixed addresses are declared.
 * docs/pipeline.md is generated from here. Knows nothing of intent or of how flows are sent.
 */
package io.penstock.pipeline.registry;
