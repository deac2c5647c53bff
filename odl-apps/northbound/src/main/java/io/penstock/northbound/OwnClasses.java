// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import java.net.URL;
import java.util.Enumeration;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads the classes of the controller before they are used. */
final class OwnClasses {
    private static final Logger LOG = LoggerFactory.getLogger(OwnClasses.class);
    private static final String OWN = "io.penstock.";
    private static final String SUFFIX = ".class";

    private OwnClasses() {
    }

    /** Loads and initializes all classes of all bundles of Penstock that are there. Takes seconds. */
    static void load(final BundleContext context) {
        Stream.of(context.getBundles()).filter(bundle -> bundle.getSymbolicName().startsWith(OWN))
            .forEach(OwnClasses::load);
    }

    private static void load(final Bundle bundle) {
        final Enumeration<URL> found = bundle.findEntries("/", "*" + SUFFIX, true);
        if (found != null) {
            found.asIterator().forEachRemaining(file -> load(bundle, file.getPath()));
        }
    }

    private static void load(final Bundle bundle, final String path) {
        try {
            final Class<?> found = bundle.loadClass(path.substring(1, path.length() - SUFFIX.length())
                .replace('/', '.'));
            Class.forName(found.getName(), true, found.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            // Such as one that needs a package that is not there: it is not used either.
            LOG.debug("{} cannot be loaded", path, e);
        }
    }
}
