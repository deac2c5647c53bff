// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Defines some classes itself, and one of them woven. */
final class Woven extends ClassLoader {
    private final String woven;
    private final UnaryOperator<byte[]> weave;
    private final Predicate<String> own;

    Woven(final String woven, final UnaryOperator<byte[]> weave, final Predicate<String> own) {
        super(Woven.class.getClassLoader());
        this.woven = woven;
        this.weave = weave;
        this.own = own;
    }

    /** A class as it is delivered. */
    static byte[] bytes(final String name) throws IOException {
        try (InputStream in = Woven.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        if (!own.test(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            final Class<?> found = findLoadedClass(name);
            if (found != null) {
                return found;
            }
            try {
                final byte[] original = bytes(name);
                final byte[] defined = name.equals(woven) ? weave.apply(original) : original;
                return defineClass(name, defined, 0, defined.length);
            } catch (final IOException failure) {
                throw new ClassNotFoundException(name, failure);
            }
        }
    }
}
