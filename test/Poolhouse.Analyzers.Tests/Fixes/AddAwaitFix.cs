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
}
