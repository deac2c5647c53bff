// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;

class NamedTenantsTest {
    private static final NamedTenants TENANTS =
        new NamedTenants(() -> BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext());

    private static String named(final String path, final String body) {
        return String.join(",", TENANTS.of(path, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "/penstock:network/tenant=a      | {'penstock:tenant':[{'name':'a'}]}                           | a",
        "//penstock:network/tenant=a%2Db/nat | ##                                                       | a-b",
        "/penstock:network              | {'penstock:tenant':[{'nat':{'name':'x'},'name':'a'},{'name':'b'}]} | a,b",
        "/penstock:network              | {'penstock:network':{'pool':[{'name':'p'}],'tenant':[{'name':'a'}]}} | a",
        "#/#                             | {'ietf-restconf:data':{'penstock:network':{'tenant':{'name':'a'}}}} | a",
        "/penstock:network              | {'ietf-yang-patch:yang-patch':{'edit':[{'target':'/tenant=a/nat','value':{}},"
            + "{'target':'/tenant=b'},{'target':'/','value':{'penstock:network':{'tenant':[{'name':'c'}]}}}]}} | a,b,c",
        "/penstock:network/pool=p        | {'penstock:pool':[{'name':'p'}]}                             | ##",
        "/ietf-access-control-list:acls  | {'ietf-access-control-list:acls':{'acl':[{'name':'tenant'}]}} | ##",
        "/penstock:network              | <tenant><name>a</name></tenant>                              | ##"})
    void tenantsOfPathAndBodyAreNamed(final String path, final String body, final String names) {
        assertThat(named(path, body)).isEqualTo(names);
    }

    @Test
    void theFirstOfManyAreNamed() {
        assertThat(named("/penstock:network", IntStream.range(0, 50).mapToObj(each -> "{'name':'t" + each + "'}")
            .collect(Collectors.joining(",", "{'penstock:tenant':[", "]}"))).split(","))
            .hasSize(AcceptedChanges.MOST_TENANTS).startsWith("t0");
    }
}
