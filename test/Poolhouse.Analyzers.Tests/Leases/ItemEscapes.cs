using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Leases;

/// <summary>PH1003 and PH1010.</summary>
public sealed class ItemEscapes
{
    [Theory]
    [InlineData("Session M() { using var lease = sessions.Rent(); return [|lease.Value|]; }")]
    [InlineData("async Task<Session> M() { await using var lease = await sessions.RentAsync(); return [|lease.Value|]; }")]
    [InlineData("Session M() { var lease = sessions.Rent(); try { return [|lease.Value|]; } finally { lease.Dispose(); } }")]
    [InlineData("Session M() { using var lease = sessions.Rent(); var session = lease.Value; return [|session|]; }")]
    [InlineData("void M() { using var lease = sessions.Rent(); field = [|lease.Value|]; }")]
    [InlineData("Memory<byte> M() { using var lease = buffers.RentExact(10); return [|lease.Memory|]; }")]
    public Task An_item_that_outlives_its_lease_is_found(string source) => Expect.FoundAsync("PH1003", source);

    [Theory]
    [InlineData("string M() { using var lease = sessions.Rent(); return lease.Value.Name; }")]
    [InlineData("Session M() { var lease = sessions.Rent(); var session = lease.Value; lease.Detach(); return session; }")]
    [InlineData("Session M() { var lease = sessions.Rent(); field = lease; return lease.Value; }")]
    [InlineData("void M() { using var lease = sessions.Rent(); field = lease.Value; lease.Value.Use(); field = null; }")]
    [InlineData(
        "void M(bool b) { var lease = sessions.Rent(); field = lease.Value; if (b) { lease.Dispose(); } else { lease.Detach(); " +
        "} }")]
    public Task An_item_that_stays_inside_its_lease_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData("Task M() { using var lease = sessions.Rent(); return [|lease.Value.UseAsync()|]; }")]
    [InlineData(
        "Task<int> M() { using var lease = sessions.Rent(); var session = lease.Value; return [|session.CountAsync()|]; }")]
    [InlineData(
        "Task M() { using var lease = sessions.Rent(); return [|Send(lease.Value)|]; } static Task Send(Session session) => " +
        "session.UseAsync();")]
    [InlineData(
        "Task M() { var lease = sessions.Rent(); try { return [|lease.Value.UseAsync()|]; } finally { lease.Dispose(); } }")]
    public Task A_task_that_outlives_the_lease_is_found(string source) => Expect.FoundAsync("PH1010", source);

    [Theory]
    [InlineData("async Task M() { using var lease = sessions.Rent(); await lease.Value.UseAsync(); }")]
    [InlineData("Task<int> M() { using var lease = sessions.Rent(); return Task.FromResult(lease.Value.Name.Length); }")]
    [InlineData(
        "Task M() { using var lease = sessions.Rent(); return Write(lease.Value.Name); } static Task Write(string name) => " +
        "Console.Out.WriteAsync(name);")]
    [InlineData("ValueTask<int> M() { using var lease = sessions.Rent(); return new ValueTask<int>(lease.Value.Name.Length); }")]
    public Task A_task_that_does_not_use_the_item_is_left_alone(string source) => Expect.NothingAsync(source);
}
