using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Policies;

/// <summary>PH4001, PH4002 and PH4003.</summary>
public sealed class Hooks
{
    [Theory]
    [InlineData("public override bool IsBroken(Stream item) { [|item.Flush()|]; return false; }")]
    [InlineData("public override bool IsBrokenAfterIdle(Stream item) => [|File.Exists(\"x\")|];")]
    [InlineData("public override bool IsBroken(Stream item) => [|item.FlushAsync().Wait(10)|];")]
    public Task A_hook_that_blocks_its_caller_is_found(string hook) => Expect.FoundAsync("PH4001", Policy("Stream", hook));

    [Theory]
    [InlineData("public override bool IsBroken(Stream item) => !item.CanRead;")]
    [InlineData(
        "public override async ValueTask<bool> ResetAsync(Stream item, CancellationToken token) { await " +
        "item.FlushAsync(token); return true; }")]
    [InlineData(
        "private readonly Func<string> _password; public Policy(Func<string> password) => _password = password; public string " +
        "P => _password();")]
    [InlineData("public override ValueTask<bool> ResetAsync(Stream item, CancellationToken token) => new(true);")]
    [InlineData(
        "public override ValueTask<bool> ResetAsync(Stream item, CancellationToken token) => FromResult(); private static " +
        "ValueTask<bool> FromResult() => new(true);")]
    public Task A_hook_that_does_its_work_is_left_alone(string hook) => Expect.NothingAsync(Policy("Stream", hook));

    [Theory]
    [InlineData(
        "private readonly string _password; public Policy(string password) => [|_password = password|]; public string P => " +
        "_password;")]
    [InlineData(
        "public System.Net.NetworkCredential Credential { get; } public Policy(System.Net.NetworkCredential credential) { " +
        "[|Credential = credential|]; }")]
    public Task A_credential_that_is_read_once_is_found(string member) => Expect.FoundAsync("PH4002", Policy("Stream", member));

    [Theory]
    [InlineData(
        "public override ValueTask<bool> ResetAsync(System.Data.Common.DbConnection item, CancellationToken token) => " +
        "[|new(true)|];")]
    [InlineData(
        "public override ValueTask<bool> ResetAsync(System.Data.Common.DbConnection item, CancellationToken token) { return " +
        "[|ValueTask.FromResult(true)|]; }")]
    public Task A_reset_of_a_connection_that_does_nothing_is_found(string hook) =>
        Expect.FoundAsync("PH4003", Policy("System.Data.Common.DbConnection", hook));

    private static string Policy(string item, string member) => $$"""
        internal sealed class Policy : ResourcePolicy<{{item}}>
        {
            public override ValueTask<{{item}}> CreateAsync(CancellationToken token) => throw new NotSupportedException();
            {{member}}
        }
        """;
}
