// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.NatUsage.PoolUsage;
import io.penstock.operations.Operations;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** Completes names of pools. */
@Service
public final class PoolCompleter implements Completer {
    @Reference
    private Operations operations;

    @Override
    public int complete(final Session session, final CommandLine line, final List<String> candidates) {
        final StringsCompleter names = new StringsCompleter();
        operations.natUsage().pools().stream().map(PoolUsage::name).forEach(names.getStrings()::add);
        return names.complete(session, line, candidates);
    }
}
