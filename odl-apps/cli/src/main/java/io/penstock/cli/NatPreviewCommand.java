// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.NatPreview;
import io.penstock.operations.PoolChange;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Tells who would move if public addresses were changed. */
@Service
@Command(scope = "penstock", name = "nat-preview",
    description = "Lists the tenants and subscribers that would lose a public address or ports by a change of a pool "
        + "or port-block")
public final class NatPreviewCommand extends OperationsCommand {
    @Option(name = "--pool", description = "Name of the pool to change; needs --prefix")
    @Completion(PoolCompleter.class)
    private @Nullable String pool;

    @Option(name = "--prefix", description = "Prefix of the pool after the change; may be repeated", multiValued = true)
    private @Nullable List<String> prefixes;

    @Option(name = "--tenant", description = "Name of the tenant whose port-block to change; needs --inside")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    @Option(name = "--inside", description = "inside-prefix of the port-block to change")
    private @Nullable String inside;

    @Option(name = "--public", description = "public-prefix after the change; default: no change")
    private @Nullable String outside;

    @Option(name = "--size", description = "block-size after the change; default: no change")
    private @Nullable Integer size;

    @Override
    public @Nullable Object execute() {
        if ((pool == null) == (tenant == null || inside == null)) {
            throw new IllegalArgumentException(
                "give either --pool and --prefix, or --tenant and --inside with --public or --size");
        }
        final NatPreview preview = operations().natPreview(pool != null
            ? new PoolChange.OfPool(pool, prefixes == null ? List.of() : prefixes)
            : new PoolChange.OfPortBlock(requireNonNull(tenant), requireNonNull(inside),
                Optional.ofNullable(outside), Optional.ofNullable(size)));
        final ShellTable table = table("tenant", "subscriber", "from", "to", "blocks", "busy sessions");
        preview.moves().forEach(move -> table.addRow().addContent(move.tenant(), dash(move.subscriber()), move.from(),
            dash(move.to()), move.blocks(), move.sessions()));
        return print(preview, table);
    }
}
