using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Poolhouse.Analyzers.Tests;

/// <summary>Which bodies the analyzer binds. Nearly all of its cost is binding.</summary>
public sealed class SkippedBodies
{
    [Theory]
    [InlineData("void M() { pool.Rent(1); }")]
    [InlineData("void M() { pool?.Rent(1); }")]
    [InlineData("void M() { this.pool.Rent<int>(1); }")]
    [InlineData("async Task M() { await pool.RentAsync(); }")]
    [InlineData("void M() { RentBuffer(); }")]
    [InlineData("void M() => pool.TryRent(out var item);")]
    [InlineData("void M() { pool.Return(item); }")]
    [InlineData("void M() { var item = pool.Get(); }")]
    [InlineData("void M() { Lease<int> lease = Take(); }")]
    [InlineData("void M(BufferLease<int> lease) { }")]
    [InlineData("void M() { var lease = await AcquireLeaseAsync(); }")]
    [InlineData("void M() { _ = default(Lease<int>).Value; }")]
    [InlineData("void M() { lease.Detach(); }")]
    [InlineData("void M(PooledStream stream) { stream.ToArray(); }")]
    [InlineData("void M() { using var stream = manager.GetStream(); }")]
    public void A_body_that_rents_holds_or_returns_is_bound(string member) => Assert.True(MayHoldItems(member));

    [Theory]
    [InlineData("void M() { Run(); }")]
    [InlineData("void M() { /* pool.Rent(1) */ }")]
    [InlineData("void M() {\n    // pool.Rent(1);\n}")]
    [InlineData("/// <summary>Calls <see cref=\"Pool.Rent()\"/>.</summary>\nvoid M() { }")]
    [InlineData("void M() { Print(\"pool.Rent(1)\"); }")]
    [InlineData("void M() { Print(nameof(Rent)); }")]
    [InlineData("void M() { options.RentTimeout = zero; }")]
    [InlineData("void M() { Run(pool.Rent); }")]
    [InlineData("int M() { return state.Leased + state.LeaseCount; }")]
    [InlineData("Lease<int> M() { return Take(); }")]
    [InlineData("Task<Lease<int>?> M() { return Take(); }")]
    [InlineData("void M() { pool.Return(); }")]
    [InlineData("void M() { Detach = true; }")]
    [InlineData("async Task M() { await client.GetStreamAsync(address); }")]
    public void A_body_that_only_names_such_a_member_is_not(string member) => Assert.False(MayHoldItems(member));

    [Theory]
    [InlineData("protected override bool IsBroken(Session item) { return false; }", true)]
    [InlineData("protected override ValueTask<bool> ResetAsync(Session item) { return new(true); }", true)]
    [InlineData("public SessionPolicy(string password) { _password = password; }", true)]
    [InlineData("private string _secret = Read();", true)]
    [InlineData("bool IsBroken(Session item) { return false; }", false)]
    [InlineData("bool M(Session item) { return IsBroken(item); }", false)]
    [InlineData("string M() { return _password; }", false)]
    [InlineData("public SessionPolicy(string name) { _name = name; }", false)]
    public void Of_a_policy_hooks_and_fields_for_credentials_are_bound(string member, bool isBound) =>
        Assert.Equal(isBound, new NameFilter().MayBreakPolicy(Member(member)));

    private static bool MayHoldItems(string member) => new NameFilter().MayHoldItems(Member(member), TreeOptions.None);

    private static MemberDeclarationSyntax Member(string member)
    {
        var tree = CSharpSyntaxTree.ParseText(
            SourceText.From($$"""
                // pool.Rent(1)
                class SessionPolicy
                {
                    void Before() => pool.Rent(password);
                {{member}}
                    void After() => pool.Rent(password);
                }
                """),
            cancellationToken: TestContext.Current.CancellationToken);
        var type = tree.GetCompilationUnitRoot(TestContext.Current.CancellationToken).Members
            .OfType<TypeDeclarationSyntax>().Single();
        return type.Members[1];
    }
}
