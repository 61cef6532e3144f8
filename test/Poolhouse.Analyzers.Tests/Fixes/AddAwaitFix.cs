namespace Poolhouse.Analyzers.Tests.Fixes;

public sealed class AddAwaitFix
{
    [Fact]
    public Task A_dropped_rent_becomes_a_lease() => Fixing.ExpectAsync(
        "PH1004",
        """
            public async Task UseAsync()
            {
                sessions.RentAsync();
                await Task.Yield();
            }
        """,
        """
            public async Task UseAsync()
            {
                await using var lease = await sessions.RentAsync();
                await Task.Yield();
            }
        """);

    [Fact]
    public Task A_dropped_rent_beside_another_lease_gets_a_name_of_its_own() => Fixing.ExpectAsync(
        "PH1004",
        """
            public async Task UseAsync()
            {
                sessions.RentAsync();
                if (field is null)
                {
                    await using var lease = await sessions.RentAsync();
                    var lease2 = lease.Value;
                    await lease2.UseAsync();
                }
            }
        """,
        """
            public async Task UseAsync()
            {
                await using var lease3 = await sessions.RentAsync();
                if (field is null)
                {
                    await using var lease = await sessions.RentAsync();
                    var lease2 = lease.Value;
                    await lease2.UseAsync();
                }
            }
        """);

    [Fact]
    public Task A_method_that_returns_a_task_of_a_leased_item_becomes_asynchronous() => Fixing.ExpectAsync(
        "PH1010",
        """
            public Task<int> CountAsync()
            {
                using var lease = sessions.Rent();
                return lease.Value.CountAsync();
            }
        """,
        """
            public async Task<int> CountAsync()
            {
                using var lease = sessions.Rent();
                return await lease.Value.CountAsync();
            }
        """);

    [Fact]
    public Task A_task_without_a_result_is_awaited_in_a_statement() => Fixing.ExpectAsync(
        "PH1010",
        """
            public Task UseAsync()
            {
                using var lease = sessions.Rent();
                return lease.Value.UseAsync();
            }
        """,
        """
            public async Task UseAsync()
            {
                using var lease = sessions.Rent();
                await lease.Value.UseAsync();
            }
        """);

    [Fact]
    public Task A_blocking_rent_becomes_asynchronous() => Fixing.ExpectAsync(
        "PH1005",
        """
            public async Task UseAsync(CancellationToken cancellationToken)
            {
                using var lease = sessions.Rent(cancellationToken);
                await lease.Value.UseAsync();
            }
        """,
        """
            public async Task UseAsync(CancellationToken cancellationToken)
            {
                await using var lease = await sessions.RentAsync(cancellationToken);
                await lease.Value.UseAsync();
            }
        """);

    [Fact]
    public Task A_call_around_a_second_await_is_not_changed() => Fixing.ExpectNoneAsync(
        "PH1004",
        """
            private static Task UseAsync(Lease<Session> lease) => lease.Value.UseAsync();

            public async Task UseAsync()
            {
                var rent = sessions.RentAsync();
                using var lease = await rent;
                var use = UseAsync(await rent);
                await use;
            }
        """);

    [Theory]
    [InlineData("sessions.RentAsync();")]
    [InlineData("var rent = sessions.RentAsync();")]
    public Task A_rent_in_a_switch_section_is_not_changed(string rent) => Fixing.ExpectNoneAsync(
        "PH1004",
        $$"""
            public async Task UseAsync(int kind)
            {
                await Task.Yield();
                switch (kind)
                {
                    case 1:
                        {{rent}}
                        break;
                }
            }
        """);

    [Theory]
    [InlineData("null!")]
    [InlineData("default!")]
    [InlineData("new(() => 1)")]
    public Task A_return_that_takes_its_type_from_the_method_is_not_awaited(string value) => Fixing.ExpectNoneAsync(
        "PH1010",
        $$"""
            public Task<int> CountAsync(bool isEmpty)
            {
                using var lease = sessions.Rent();
                if (isEmpty)
                {
                    return {{value}};
                }

                return lease.Value.CountAsync();
            }
        """);

    [Fact]
    public Task A_method_with_a_span_does_not_become_asynchronous() => Fixing.ExpectNoneAsync(
        "PH1010",
        """
            public Task<int> CountAsync(ReadOnlySpan<byte> text)
            {
                using var lease = sessions.Rent();
                lease.Value.Name = Encoding.UTF8.GetString(text);
                return lease.Value.CountAsync();
            }
        """);

    [Fact]
    public Task A_choice_of_tasks_is_awaited_in_parentheses() => Fixing.ExpectAsync(
        "PH1010",
        """
            public Task<int> CountAsync(bool isEmpty)
            {
                using var lease = sessions.Rent();
                if (!isEmpty)
                {
                    return lease.Value.CountAsync();
                }

                return isEmpty ? Task.FromResult(0) : Task.FromResult(1);
            }
        """,
        """
            public async Task<int> CountAsync(bool isEmpty)
            {
                using var lease = sessions.Rent();
                if (!isEmpty)
                {
                    return await lease.Value.CountAsync();
                }

                return await (isEmpty ? Task.FromResult(0) : Task.FromResult(1));
            }
        """);

    [Theory]
    [InlineData("ValueTask<Lease<Session>> rent = sessions.RentAsync();")]
    [InlineData("var rent = sessions.RentAsync(); Console.WriteLine(rent.IsCompleted);")]
    [InlineData("lock (sessions) { sessions.RentAsync(); }")]
    public Task A_rent_that_is_used_as_a_task_or_cannot_be_awaited_is_not_changed(string rent) => Fixing.ExpectNoneAsync(
        "PH1004",
        $$"""
            public async Task UseAsync()
            {
                {{rent}}
                await Task.Yield();
            }
        """);

    [Fact]
    public Task A_task_that_leaves_a_lock_is_not_awaited() => Fixing.ExpectNoneAsync(
        "PH1010",
        """
            public Task<int> CountAsync()
            {
                using var lease = sessions.Rent();
                lock (sessions)
                {
                    return lease.Value.CountAsync();
                }
            }
        """);

    [Fact]
    public Task A_blocking_rent_in_unsafe_code_does_not_become_asynchronous() => Fixing.ExpectNoneAsync(
        "PH1005",
        """
            public async Task UseAsync()
            {
                await Task.Yield();
                unsafe
                {
                    using var lease = sessions.Rent();
                    lease.Value.Use();
                }
            }
        """);

    [Fact]
    public Task A_blocking_rent_before_a_use_of_a_span_does_not_become_asynchronous() => Fixing.ExpectNoneAsync(
        "PH1005",
        """
            public async Task UseAsync(byte[] data)
            {
                await Task.Yield();
                ReadOnlySpan<byte> text = data;
                using var lease = sessions.Rent();
                lease.Value.Name = Encoding.UTF8.GetString(text);
            }
        """);

    [Fact]
    public Task A_blocking_rent_before_the_declaration_of_a_span_becomes_asynchronous() => Fixing.ExpectAsync(
        "PH1005",
        """
            public async Task UseAsync(byte[] data)
            {
                using var lease = sessions.Rent();
                await Task.Yield();
                ReadOnlySpan<byte> text = data;
                lease.Value.Name = Encoding.UTF8.GetString(text);
            }
        """,
        """
            public async Task UseAsync(byte[] data)
            {
                await using var lease = await sessions.RentAsync();
                await Task.Yield();
                ReadOnlySpan<byte> text = data;
                lease.Value.Name = Encoding.UTF8.GetString(text);
            }
        """);

    [Theory]
    [InlineData("ValueTask<Lease<Session>> rent; rent = sessions.RentAsync();")]
    [InlineData("ValueTask<Lease<Session>> one = sessions.RentAsync(), two = sessions.RentAsync();")]
    public Task A_rent_that_is_assigned_as_a_task_is_not_awaited(string rent) => Fixing.ExpectNoneAsync(
        "PH1004",
        $$"""
            public async Task UseAsync()
            {
                {{rent}}
                await Task.Yield();
            }
        """);

    [Fact]
    public Task A_discarded_rent_becomes_a_lease() => Fixing.ExpectAsync(
        "PH1004",
        """
            public async Task UseAsync()
            {
                _ = sessions.RentAsync();
                await Task.Yield();
            }
        """,
        """
            public async Task UseAsync()
            {
                await using var lease = await sessions.RentAsync();
                await Task.Yield();
            }
        """);

    [Fact]
    public Task Two_dropped_rents_get_different_names() => Fixing.ExpectAllAsync(
        "PH1004",
        """
            public async Task UseAsync(int lease2)
            {
                sessions.RentAsync();
                _ = sessions.RentAsync();
                sessions.RentAsync();
                await Task.Delay(lease2);
            }
        """,
        """
            public async Task UseAsync(int lease2)
            {
                await using var lease = await sessions.RentAsync();
                await using var lease3 = await sessions.RentAsync();
                await using var lease4 = await sessions.RentAsync();
                await Task.Delay(lease2);
            }
        """);
}
