using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Dotnet;

/// <summary>PH2002.</summary>
public sealed class UsedAfterReturn
{
    [Theory]
    [InlineData("byte M() { var a = arrays.Rent(10); arrays.Return(a); return [|a|][0]; }")]
    [InlineData("byte[] M() { var a = arrays.Rent(10); arrays.Return(a); return [|a|]; }")]
    [InlineData("void M() { var a = arrays.Rent(10); arrays.Return(a); Consume([|a|]); }")]
    [InlineData("byte M() { var a = arrays.Rent(10); var span = a.AsSpan(0, 5); arrays.Return(a); return [|span|][0]; }")]
    [InlineData("byte M() { var a = arrays.Rent(10); Span<byte> span = a; arrays.Return(a); return [|span|][0]; }")]
    [InlineData(
        "byte[] M() { var a = arrays.Rent(10); var part = new ArraySegment<byte>(a, 0, 5); arrays.Return(a); return " +
        "[|part|].ToArray(); }")]
    [InlineData("void M() { var text = builders.Get(); builders.Return(text); Console.WriteLine([|text|].ToString()); }")]
    [InlineData(
        "string M() { var text = builders.Get(); try { text.Append('x'); } finally { builders.Return(text); } return " +
        "[|text|].ToString(); }")]
    [InlineData(
        "void M(int n) { var rented = n > 256 ? arrays.Rent(n) : null; Span<byte> span = rented ?? new byte[256]; if (rented " +
        "!= null) { arrays.Return(rented); [|rented|][0] = 1; } }")]
    public Task A_use_after_the_return_on_every_path_is_found(string source) => Expect.FoundAsync("PH2002", source);

    [Theory]
    [InlineData("int M() { var a = arrays.Rent(10); arrays.Return(a); return a.Length; }")]
    [InlineData("void M(bool b) { var a = arrays.Rent(10); if (b) { arrays.Return(a); } Consume(a); }")]
    [InlineData(
        "string M() { var text = builders.Get(); try { return text.Append('x').ToString(); } finally { builders.Return(text); " +
        "} }")]
    [InlineData("void M() { var a = arrays.Rent(10); arrays.Return(a, a.Length > 5); }")]
    [InlineData(
        "void M(int n) { byte[]? rented = null; Span<byte> span = n <= 128 ? stackalloc byte[128] : (rented = arrays.Rent(n)); " +
        "span[0] = 1; if (rented is not null) arrays.Return(rented); }")]
    [InlineData("void M() { for (var i = 0; i < 3; i++) { var a = arrays.Rent(10); a[0] = 1; arrays.Return(a); } }")]
    public Task A_use_that_may_come_first_is_left_alone(string source) => Expect.NothingAsync(source);
}
