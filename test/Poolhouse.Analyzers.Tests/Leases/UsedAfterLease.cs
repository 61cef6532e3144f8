using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Leases;

/// <summary>PH1002, PH1008 and PH1012.</summary>
public sealed class UsedAfterLease
{
    [Theory]
    [InlineData("void M() { var lease = sessions.Rent(); lease.Dispose(); [|lease.Value|].Use(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); var session = lease.Value; lease.Dispose(); [|session|].Use(); }")]
    [InlineData(
        "void M() { Session session; using (var lease = sessions.Rent()) { session = lease.Value; } [|session|].Use(); }")]
    [InlineData("async Task M() { var lease = await sessions.RentAsync(); await lease.DisposeAsync(); [|lease.Value|].Use(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); lease.Discard(); Consume([|lease.Value|]); }")]
    [InlineData("void M() { var lease = sessions.Rent(); var copy = lease; copy.Dispose(); [|lease.Value|].Use(); }")]
    [InlineData(
        "void M(bool b) { var lease = sessions.Rent(); if (b) { lease.Dispose(); } else { lease.Discard(); } " +
        "[|lease.Value|].Use(); }")]
    [InlineData("void M(Lease<Session> lease) { lease.Dispose(); [|lease.Value|].Use(); }")]
    [InlineData("void M() { var lease = buffers.RentExact(9); lease.Dispose(); [|lease.Span|].Clear(); }")]
    public Task A_use_after_the_end_on_every_path_is_found(string source) => Expect.FoundAsync("PH1002", source);

    [Theory]
    [InlineData("void M() { var lease = buffers.RentExact(9); var span = lease.Span; lease.Dispose(); [|span|].Clear(); }")]
    [InlineData(
        "int M() { Memory<byte> memory; using (var lease = buffers.RentExact(9)) { memory = lease.Memory; } return " +
        "[|memory|].Span[0]; }")]
    public Task Memory_of_a_buffer_lease_that_is_used_after_its_end_is_found(string source) =>
        Expect.FoundAsync("PH1012", source);

    [Theory]
    [InlineData(
        "void M(bool b) { var lease = sessions.Rent(); if (b) { lease.Dispose(); return; } lease.Value.Use(); lease.Dispose(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); lease.Dispose(); Console.WriteLine(lease.IsActive); lease.Dispose(); }")]
    [InlineData("void M() { var lease = sessions.Rent(); var session = lease.Detach(); session.Use(); }")]
    [InlineData(
        "void M() { var lease = sessions.Rent(); lease.Dispose(); lease = sessions.Rent(); lease.Value.Use(); lease.Dispose(); }")]
    [InlineData("void M() { for (var i = 0; i < 3; i++) { using var lease = sessions.Rent(); lease.Value.Use(); } }")]
    [InlineData("string M() { using var lease = sessions.Rent(); return lease.Value.Name; }")]
    [InlineData(
        "void M(bool b) { var lease = sessions.Rent(); if (b) { lease.Dispose(); } if (!b) { lease.Value.Use(); " +
        "lease.Dispose(); } }")]
    public Task A_use_that_may_come_first_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData("void M() { Lease<Session> lease = default; [|lease.Value|].Use(); }")]
    [InlineData("void M() { var lease = new Lease<Session>(); [|lease.Value|].Use(); }")]
    [InlineData("void M() { [|default(Lease<Session>).Value|].Use(); }")]
    [InlineData("void M() { if (!sessions.TryRent(out var lease)) { [|lease.Value|].Use(); } lease.Dispose(); }")]
    public Task A_default_lease_that_is_used_is_found(string source) => Expect.FoundAsync("PH1008", source);

    [Theory]
    [InlineData("void M() { if (sessions.TryRent(out var lease)) { lease.Value.Use(); lease.Dispose(); } }")]
    [InlineData(
        "void M(bool b) { Lease<Session> lease = default; if (b) { lease = sessions.Rent(); } lease.Value.Use(); " +
        "lease.Dispose(); }")]
    [InlineData("void M() { Lease<Session> lease = default; Console.WriteLine(lease.IsActive); lease.Dispose(); }")]
    public Task A_lease_that_may_be_active_is_left_alone(string source) => Expect.NothingAsync(source);
}
