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

    // Tests check whether a pool returns the same object again. That reads the variable, not the object.
    [Theory]
    [InlineData("void M() { var b = builders.Get(); builders.Return(b); Xunit.Assert.Same(b, builders.Get()); }")]
    [InlineData("void M() { var b = builders.Get(); builders.Return(b); Xunit.Assert.Same(expected: b, tiered?.Get()); }")]
    [InlineData("void M() { var b = builders.Get(); builders.Return(b); Xunit.Assert.NotSame(builders.Get(), b); }")]
    [InlineData("void M(bool x) { var b = builders.Get(); builders.Return(b); Xunit.Assert.Same(b, x ? builders.Get() : b); }")]
    [InlineData(
        "async Task M() { var b = builders.Get(); builders.Return(b); Xunit.Assert.Same(b, await Task.Run(builders.Get)); }")]
    [InlineData(
        "void M() { var b = builders.Get(); for (var i = 0; i < 3; i++) { builders.Return(b); var c = builders.Get(); " +
        "Xunit.Assert.Same(b, c); b = c; } }")]
    [InlineData(
        "void M() { var b = builders.Get(); builders.Return(b); Xunit.Assert.True(ReferenceEquals(b, builders.Get())); }")]
    [InlineData("void M() { var b = builders.Get(); builders.Return(b); Xunit.Assert.True(builders.Get() == b); }")]
    [InlineData(
        "void M() { var b = builders.Get(); builders.Return(b); That(builders.Get(), SameAs(b)); } " +
        "static object SameAs(object? x) => new(); static void That(object? x, object? y) { }")]
    [InlineData(
        "void M() { var b = builders.Get(); builders.Return(b); BeSameAs(b); } static void BeSameAs(object? x) { }")]
    public Task The_identity_of_an_object_may_be_compared_after_its_return(string source) => Expect.NothingAsync(source);
}
