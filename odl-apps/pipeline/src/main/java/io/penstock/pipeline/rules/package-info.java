// SPDX-License-Identifier: Apache-2.0
/**
 * The rules that a configuration must not break. {@link io.penstock.pipeline.rules.Validator} applies them all to a
 * snapshot and names each {@link io.penstock.pipeline.rules.Violation}. {@code TenantRules} are those of one tenant,
 * whatever the others have; it calls those of the tenant's services, such as {@code DhcpRules}. {@code
 * AmongTenantsRules} are those of tenants with each other. {@code FunctionRules} and {@code BackboneRules} are those
 * of what tenants share. Knows no flow.
 */
package io.penstock.pipeline.rules;
