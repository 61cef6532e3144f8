using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Leases;

/// <summary>PH1004, PH1007 and PH1011.</summary>
public sealed class Rents
{
    [Theory]
    [InlineData("void M() { [|sessions.RentAsync()|]; }")]
    [InlineData("void M() { _ = [|sessions.RentAsync()|]; }")]
    [InlineData("void M() { var rent = [|sessions.RentAsync()|]; Console.WriteLine(1); }")]
    [InlineData(
        "async Task M() { var rent = sessions.RentAsync(); using var one = await rent; using var two = [|await rent|]; }")]
    public Task A_rent_that_is_not_awaited_exactly_once_is_found(string source) => Expect.FoundAsync("PH1004", source);

    [Theory]
    [InlineData("async Task M() { var rent = sessions.RentAsync(); Console.WriteLine(1); using var lease = await rent; }")]
    [InlineData(
        "async Task M() { var rent = sessions.RentAsync().AsTask(); using var one = await rent; using var two = await rent; }")]
    [InlineData(
        "async Task M() { var all = await Task.WhenAll(sessions.RentAsync().AsTask(), sessions.RentAsync().AsTask()); " +
        "Consume(all); }")]
    [InlineData("ValueTask<Lease<Session>> M() => sessions.RentAsync();")]
    [InlineData("ValueTask<Lease<Session>> M() { var rent = sessions.RentAsync(); return rent; }")]
    [InlineData("void M() { using var lease = sessions.RentAsync().AsTask().GetAwaiter().GetResult(); }")]
    [InlineData(
        "async Task M(bool b) { var rent = sessions.RentAsync(); if (b) { using var one = await rent; } else { using var two = " +
        "await rent; } }")]
    public Task A_rent_that_is_awaited_or_passed_on_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData("void M() { var lease = sessions.Rent(); [|lease.Detach()|]; }")]
    [InlineData("void M() { var lease = buffers.RentExact(10); [|lease.Detach()|]; }")]
    [InlineData("void M() { var writer = new PooledBufferWriter<byte>(); [|writer.DetachBuffer()|]; }")]
    public Task A_detached_item_that_is_thrown_away_is_found(string source) => Expect.FoundAsync("PH1007", source);

    [Theory]
    [InlineData("Session M() { var lease = sessions.Rent(); var session = lease.Value; lease.Detach(); return session; }")]
    [InlineData("Session M() { var lease = sessions.Rent(); return lease.Detach(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); _ = lease.Detach(); }")]
    public Task A_detached_item_that_is_kept_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData("void M() { using var lease = tiered.Rent(); [|tiered.Return(lease.Value)|]; }")]
    [InlineData("void M() { using var lease = buffers.RentExact(16); [|buffers.Return(lease.Segment.Array!)|]; }")]
    [InlineData(
        "void M() { using var lease = tiered.Rent(); var text = lease.Value; text.Append('x'); [|tiered.Return(text)|]; }")]
    public Task A_leased_item_that_is_returned_by_hand_is_found(string source) => Expect.FoundAsync("PH1011", source);

    [Theory]
    [InlineData("void M() { var lease = tiered.Rent(); var text = lease.Value; lease.Detach(); tiered.Return(text); }")]
    [InlineData("void M() { var lease = tiered.Rent(); var text = lease.Detach(); tiered.Return(text); }")]
    public Task A_detached_item_may_be_returned_by_hand(string source) => Expect.NothingAsync(source);
}
