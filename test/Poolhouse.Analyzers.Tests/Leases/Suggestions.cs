using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Leases;

/// <summary>PH1005, PH1006, PH1009 and PH1013.</summary>
public sealed class Suggestions
{
    [Fact]
    public Task A_rent_that_blocks_in_an_asynchronous_method_is_found() => Expect.FoundAsync(
        "PH1005", "async Task M() { using var lease = [|sessions.Rent()|]; lease.Value.Use(); await Task.Yield(); }");

    [Theory]
    [InlineData("void M() { using var lease = sessions.Rent(); lease.Value.Use(); }")]
    [InlineData("async Task M() { using var lease = tiered.Rent(); lease.Value.Clear(); await Task.Yield(); }")]
    [InlineData("async Task M() { Action act = () => { using var lease = sessions.Rent(); }; act(); await Task.Yield(); }")]
    [InlineData(
        "async Task M() { await Task.Yield(); lock (sessions) { using var lease = sessions.Rent(); lease.Value.Use(); } }")]
    public Task A_rent_that_may_block_or_cannot_is_left_alone(string source) => Expect.FoundAsync("PH1005", source);

    [Fact]
    public Task A_lease_around_an_await_that_is_never_tainted_is_found() => Expect.FoundAsync(
        "PH1006", "async Task M() { await using var lease = await [|sessions.RentAsync()|]; await lease.Value.UseAsync(); }");

    [Theory]
    [InlineData(
        "async Task M() { await using var a = await sessions.RentAsync(); await using var b = await [|sessions.RentAsync()|]; " +
        "a.Value.Use(); b.Value.Use(); }")]
    [InlineData("void M() { using var a = sessions.Rent(); using var b = [|sessions.Rent()|]; a.Value.Use(); b.Value.Use(); }")]
    public Task A_second_item_of_a_pool_while_the_first_is_held_is_found(string source) => Expect.FoundAsync("PH1009", source);

    [Theory]
    [InlineData("void M() { using (var a = sessions.Rent()) { a.Value.Use(); } using var b = sessions.Rent(); b.Value.Use(); }")]
    [InlineData(
        "void M(ResourcePool<Session> other) { using var a = sessions.Rent(); using var b = other.Rent(); a.Value.Use(); " +
        "b.Value.Use(); }")]
    [InlineData("void M() { using var a = tiered.Rent(); using var b = tiered.Rent(); a.Value.Append(b.Value); }")]
    [InlineData(
        "void M() { var b = sessions.Rent(); b.Dispose(); var a = sessions.Rent(); b = a; b.Dispose(); using var c = " +
        "sessions.Rent(); c.Value.Use(); }")]
    public Task Items_that_are_held_one_after_the_other_are_left_alone(string source) => Expect.FoundAsync("PH1009", source);

    [Fact]
    public Task A_pool_for_one_rent_is_found() => Expect.FoundAsync(
        "PH1013",
        "void M() { using var pool = [|new TieredObjectPool<StringBuilder>(() => new StringBuilder())|]; using var lease = " +
        "pool.Rent(); lease.Value.Clear(); }");

    [Theory]
    [InlineData(
        "void M() { using var pool = new TieredObjectPool<StringBuilder>(() => new StringBuilder()); for (var i = 0; i < 9; " +
        "i++) { using var lease = pool.Rent(); lease.Value.Clear(); } }")]
    [InlineData(
        "ObjectPool<StringBuilder> M() { var pool = new TieredObjectPool<StringBuilder>(() => new StringBuilder()); " +
        "pool.Return(pool.Get()); return pool; }")]
    public Task A_pool_for_several_rents_is_left_alone(string source) => Expect.FoundAsync("PH1013", source);
}
