// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import javax.servlet.ServletOutputStream;
import javax.servlet.WriteListener;
import javax.servlet.http.HttpServletResponse;
import javax.servlet.http.HttpServletResponseWrapper;

/** An answer to a change that is not sent yet: it has no body, or a short one. Not for several threads. */
final class HeldAnswer extends HttpServletResponseWrapper {
    private final Stream stream = new Stream();
    private final PrintWriter writer = new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));

    HeldAnswer(final HttpServletResponse answer) {
        super(answer);
    }

    byte[] body() {
        writer.flush();
        return stream.bytes.toByteArray();
    }

    /** Gives the answer as it is. */
    void give() throws IOException {
        final byte[] body = body();
        if (body.length > 0) {
            getResponse().getOutputStream().write(body);
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        return writer;
    }

    @Override
    public void sendError(final int status) {
        setStatus(status);
    }

    @Override
    public void sendError(final int status, final String message) {
        setStatus(status);
    }

    @Override
    public void flushBuffer() {
        // It is held.
    }

    @Override
    public void resetBuffer() {
        stream.bytes.reset();
    }

    @Override
    public void reset() {
        super.reset();
        stream.bytes.reset();
    }

    /** Its body may have another length. */
    @Override
    public void setContentLength(final int length) {
        // The server counts.
    }

    @Override
    public void setContentLengthLong(final long length) {
        // The server counts.
    }

    private static final class Stream extends ServletOutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void write(final int each) {
            bytes.write(each);
        }

        @Override
        public void write(final byte[] buffer, final int offset, final int length) {
            bytes.write(buffer, offset, length);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(final WriteListener listener) {
            throw new IllegalStateException("the answer is held");
        }
    }
}
