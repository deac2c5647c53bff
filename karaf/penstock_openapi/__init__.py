# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document of RESTCONF, made of the YANG modules: docs/openapi.json. A tool of the source tree, which
./penstock lint runs in its environment, because pyang reads the modules.

    python3 -m penstock_openapi VERSION DIRECTORY...    prints the document
"""
