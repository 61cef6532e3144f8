using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Leases;

/// <summary>PH1001.</summary>
public sealed class NeverEnded
{
    [Theory]
    [InlineData("void M() { var lease = [|sessions.Rent()|]; lease.Value.Use(); }")]
    [InlineData("async Task M() { var lease = await [|sessions.RentAsync()|]; lease.Value.Use(); }")]
    [InlineData("async Task M() { var lease = await [|sessions.RentAsync()|].ConfigureAwait(false); lease.Value.Use(); }")]
    [InlineData("void M() { var session = [|sessions.Rent()|].Value; session.Use(); }")]
    [InlineData("void M() { [|sessions.Rent()|]; }")]
    [InlineData("void M() { _ = [|sessions.Rent()|]; }")]
    [InlineData("async Task M() { (await [|sessions.RentAsync()|]).Value.Use(); }")]
    [InlineData("void M() { var lease = [|tiered.Rent()|]; lease.Value.Append('x'); }")]
    [InlineData("void M() { var lease = [|buffers.RentExact(10)|]; lease.Span.Clear(); }")]
    [InlineData("void M() { while (true) { var lease = [|sessions.Rent()|]; lease.Value.Use(); } }")]
    [InlineData("void M() { Action a = () => { var lease = [|sessions.Rent()|]; lease.Value.Use(); }; a(); }")]
    [InlineData("void M() { if ([|sessions.TryRent(out var lease)|]) { lease.Value.Use(); } }")]
    [InlineData("bool M() { return [|sessions.TryRent(out _)|]; }")]
    [InlineData("bool M() => [|sessions.TryRent(out _)|];")]
    [InlineData("void M() { if (![|sessions.TryRent(out var _)|]) { Console.WriteLine(1); } }")]
    [InlineData("void M() { while ([|sessions.TryRent(out _)|]) { Console.WriteLine(1); } }")]
    [InlineData("void M() { [|sessions.TryRent(out _)|]; }")]
    public Task A_lease_that_nothing_ends_is_found(string source) => Expect.FoundAsync("PH1001", source);

    [Theory]
    [InlineData("void M() { using var lease = sessions.Rent(); lease.Value.Use(); }")]
    [InlineData("void M() { using (var lease = sessions.Rent()) { lease.Value.Use(); } }")]
    [InlineData("void M() { using (sessions.Rent()) { } }")]
    [InlineData("async Task M() { await using var lease = await sessions.RentAsync(); lease.Value.Use(); }")]
    [InlineData(
        "async Task M() { await using var lease = await sessions.RentAsync().ConfigureAwait(false); lease.Value.Use(); }")]
    [InlineData(
        "async Task M() { var lease = await sessions.RentAsync(); await using (lease.ConfigureAwait(false)) { " +
        "lease.Value.Use(); } }")]
    [InlineData("void M() { var lease = sessions.Rent(); try { lease.Value.Use(); } finally { lease.Dispose(); } }")]
    [InlineData(
        "void M() { var lease = sessions.Rent(); if (lease.Value.Name == \"\") { lease.Discard(); } else { lease.Dispose(); } }")]
    [InlineData("Session M() { var lease = sessions.Rent(); return lease.Detach(); }")]
    [InlineData("Lease<Session> M() { var lease = sessions.Rent(); return lease; }")]
    [InlineData("Lease<Session> M() => sessions.Rent();")]
    [InlineData("async Task<Lease<Session>> M() => await sessions.RentAsync();")]
    [InlineData("void M() { field = sessions.Rent(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); field = lease; }")]
    [InlineData("void M() { var lease = sessions.Rent(); Consume(lease); }")]
    [InlineData(
        "void M() { var list = new List<Lease<Session>> { sessions.Rent() }; var lease = sessions.Rent(); list.Add(lease); " +
        "Consume(list); }")]
    [InlineData("(int, Lease<Session>) M() { var lease = sessions.Rent(); return (1, lease); }")]
    [InlineData("Action M() { var lease = sessions.Rent(); return () => lease.Dispose(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); var copy = lease; copy.Dispose(); }")]
    [InlineData("void M() { Consume(sessions.TryRent(out _)); Consume(!sessions.TryRent(out _)); }")]
    [InlineData("void M() { Func<bool> rents = () => sessions.TryRent(out _); Action tries = () => sessions.TryRent(out _); }")]
    [InlineData("void M() { _ = sessions.TryRent(out _); }")]
    [InlineData("void M() { if (sessions.TryRent(out var lease)) { using (lease) { lease.Value.Use(); } } }")]
    [InlineData("void M() { sessions.Rent().Dispose(); }")]
    [InlineData("Session M() => sessions.Rent().Detach();")]
    [InlineData("IEnumerable<Lease<Session>> M() { var lease = sessions.Rent(); yield return lease; }")]
    [InlineData(
        "void M() { Lease<Session> lease = default; try { lease = sessions.Rent(); lease.Value.Use(); } finally { " +
        "lease.Dispose(); } }")]
    [InlineData(
        "void M() { Lease<Session>[] all = [sessions.Rent(), sessions.Rent()]; foreach (var lease in all) { lease.Dispose(); } }")]
    [InlineData(
        "void M() { var leases = new Lease<Session>[2]; for (var i = 0; i < 2; i++) { leases[i] = sessions.Rent(); } " +
        "Consume(leases); }")]
    public Task A_lease_that_ends_or_is_passed_on_is_left_alone(string source) => Expect.NothingAsync(source);
}
