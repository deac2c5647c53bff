// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.penstock.access.Role;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.opendaylight.mdsal.binding.api.RpcProviderService;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.DeleteUser;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.DeleteUserOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.DeleteUserOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.ListUsers;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.ListUsersOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.ListUsersOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.SetUser;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.SetUserInput;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.SetUserOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.SetUserOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.list.users.output.UserBuilder;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.ErrorTag;
import org.opendaylight.yangtools.yang.common.ErrorType;
import org.opendaylight.yangtools.yang.common.RpcResult;
import org.opendaylight.yangtools.yang.common.RpcResultBuilder;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** The RPCs of accounts. They answer on the thread that calls them, which waits for the datastore. */
@Component(service = {}, immediate = true)
public final class AccountRpcs implements AutoCloseable {
    private final AccountStore accounts;
    private final List<Registration> registrations;

    /** Something that waits for the datastore. */
    @FunctionalInterface
    private interface Work<T> {
        T answer() throws InterruptedException, ExecutionException;
    }

    /** Makes the RPCs available. */
    @Activate
    public AccountRpcs(@Reference final AccountStore accounts, @Reference final RpcProviderService provider) {
        this.accounts = requireNonNull(accounts);
        final ListUsers list = input -> answer(this::list);
        final SetUser set = input -> answer(() -> set(input));
        final DeleteUser delete = input -> answer(() -> {
            if (input.getName() == null) {
                throw new IllegalArgumentException("name: is missing");
            }
            accounts.delete(input.getName().getValue());
            final DeleteUserOutput none = new DeleteUserOutputBuilder().build();
            return none;
        });
        registrations = List.of(provider.registerRpcImplementation(list), provider.registerRpcImplementation(set),
            provider.registerRpcImplementation(delete));
    }

    private ListUsersOutput list() throws InterruptedException, ExecutionException {
        return new ListUsersOutputBuilder().setUser(accounts.stored().stream()
            .flatMap(stored -> stored.nonnullUser().values().stream())
            .map(user -> new UserBuilder().setName(user.getName().getValue()).setRole(user.getRole())
                .setTenant(user.getTenant()).setChanged(user.getChanged()).build())
            .collect(BindingMap.toMap())).build();
    }

    private SetUserOutput set(final SetUserInput input) throws InterruptedException, ExecutionException {
        if (input.getName() == null) {
            throw new IllegalArgumentException("name: is missing");
        }
        accounts.set(new AccountStore.Change(input.getName().getValue(), Boolean.TRUE.equals(input.getIsNew()),
            Optional.ofNullable(input.getRole()).map(role -> Role.of(role.getName()).orElseThrow()),
            Optional.ofNullable(input.getTenant()), Optional.ofNullable(input.getPassword())));
        return new SetUserOutputBuilder().build();
    }

    private static <T> ListenableFuture<RpcResult<T>> answer(final Work<T> work) {
        try {
            return Futures.immediateFuture(RpcResultBuilder.success(work.answer()).build());
        } catch (IllegalArgumentException e) {
            return failed(ErrorTag.INVALID_VALUE, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(ErrorTag.OPERATION_FAILED, "the controller ends");
        } catch (ExecutionException e) {
            return failed(ErrorTag.OPERATION_FAILED, "the account was not stored, repeat it: " + e.getCause());
        }
    }

    private static <T> ListenableFuture<RpcResult<T>> failed(final ErrorTag tag, final String why) {
        return Futures.immediateFuture(RpcResultBuilder.<T>failed().withError(ErrorType.APPLICATION, tag, why)
            .build());
    }

    @Deactivate
    @Override
    public void close() {
        registrations.forEach(Registration::close);
    }
}
