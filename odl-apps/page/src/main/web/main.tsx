// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { follow } from "./state/follow";
import { Frame } from "./ui/frame";

const place = document.getElementById("page");
if (place) {
  follow();
  render(<Frame />, place);
}
