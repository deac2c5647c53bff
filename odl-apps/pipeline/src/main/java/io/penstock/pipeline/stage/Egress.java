// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;

/** Where frames leave: attachments, uplinks and the resolver. */
final class Egress {
    private Egress() {
        // Only functions.
    }

    /**
     * The flows for one place. Open vSwitch sends nothing back to the port a frame came from unless told so.
     *
     * @param vlan 0 for no tag
     */
    static void plan(final FlowSink sink, final int port, final int vlan, final String label) {
        final List<Action> tag = vlan == 0 ? List.of()
            : List.of(new Action.PushVlan(), new Action.SetField(MatchField.VLAN_VID, vlan));
        final FieldMatch to = Register.OUT_ATTACHMENT.is(Register.place(port, vlan));
        sink.flow(Table.EGRESS, Priority.NORMAL, label).when(to).then(tag).then(new Action.Output(port)).end();
        sink.flow(Table.EGRESS, Priority.HIGH, label + ", back").when(MatchField.IN_PORT, port).when(to)
            .then(tag).then(new Action.OutputInPort()).end();
    }
}
