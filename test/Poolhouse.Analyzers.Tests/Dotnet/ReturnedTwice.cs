using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Dotnet;

/// <summary>PH2001 and PH2003.</summary>
public sealed class ReturnedTwice
{
    [Theory]
    [InlineData("void M() { var a = arrays.Rent(10); arrays.Return(a); [|arrays.Return(a)|]; }")]
    [InlineData(
        "void M() { var a = arrays.Rent(10); arrays.Return(clearArray: true, array: a); [|arrays.Return(clearArray: true, " +
        "array: a)|]; }")]
    [InlineData("void M(byte[] a) { arrays.Return(a); [|arrays.Return(a)|]; }")]
    [InlineData(
        "void M(bool b) { var a = arrays.Rent(10); if (b) { arrays.Return(a); } else { arrays.Return(a, true); } " +
        "[|arrays.Return(a)|]; }")]
    [InlineData("void M() { var a = arrays.Rent(10); var other = a; arrays.Return(other); [|arrays.Return(a)|]; }")]
    [InlineData("void M() { var item = builders.Get(); builders.Return(item); [|builders.Return(item)|]; }")]
    [InlineData(
        "void M(int n) { byte[]? a = n < 10 ? null : arrays.Rent(n); if (a != null) { arrays.Return(a); } if (a is not null) { " +
        "[|arrays.Return(a)|]; } }")]
    [InlineData(
        "void M() { foreach (var i in new[] { 1, 2 }) { var a = arrays.Rent(i); arrays.Return(a); [|arrays.Return(a)|]; } }")]
    public Task A_second_return_on_every_path_is_found(string source) => Expect.FoundAsync("PH2001", source);

    [Theory]
    [InlineData("void M(bool b) { var a = arrays.Rent(10); if (b) { arrays.Return(a); } if (!b) { arrays.Return(a); } }")]
    [InlineData("void M() { byte[]? a = arrays.Rent(10); arrays.Return(a); a = null; if (a is not null) { arrays.Return(a); } }")]
    [InlineData("void M() { var a = arrays.Rent(10); arrays.Return(a); a = arrays.Rent(20); arrays.Return(a); }")]
    [InlineData(
        "void M() { byte[]? a = null; try { a = arrays.Rent(10); Consume(a.Length); } finally { if (a != null) " +
        "arrays.Return(a); } }")]
    [InlineData(
        "void M() { var a = arrays.Rent(10); try { Consume(a.Length); } catch { arrays.Return(a); throw; } arrays.Return(a); }")]
    [InlineData(
        "void M(int n) { var a = arrays.Rent(8); try { while (n-- > 0) { var bigger = arrays.Rent(a.Length * 2); " +
        "a.CopyTo(bigger, 0); arrays.Return(a); a = bigger; } } finally { arrays.Return(a); } }")]
    [InlineData(
        "void M() { byte[]? last = null; while (true) { var a = arrays.Rent(8); if (last != null) arrays.Return(last); a[0] = " +
        "1; last = a; } }")]
    [InlineData("void M() { var a = arrays.Rent(10); Action act = () => arrays.Return(a); arrays.Return(a); act(); }")]
    [InlineData(
        "void M() { var a = arrays.Rent(10); arrays.Return(a); Swap(ref a); arrays.Return(a); } void Swap(ref byte[] a) => a = " +
        "arrays.Rent(1);")]
    [InlineData(
        "void M(int n) { byte[] a = arrays.Rent(n); byte[] b = arrays.Rent(n); (a, b) = (b, a); arrays.Return(a); " +
        "arrays.Return(b); }")]
    public Task A_return_that_may_be_the_first_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData("void M() { var a = arrays.Rent(10); try { Consume(1); arrays.Return(a); } finally { [|arrays.Return(a)|]; } }")]
    [InlineData(
        "void M() { var a = arrays.Rent(10); try { arrays.Return(a); Consume(1); } catch { [|arrays.Return(a)|]; throw; } }")]
    [InlineData(
        "int M() { var a = arrays.Rent(10); try { var n = a[0]; arrays.Return(a); return n; } finally { if (a != null) { " +
        "[|arrays.Return(a)|]; } } }")]
    public Task A_return_in_try_and_again_in_its_handler_is_found(string source) => Expect.FoundAsync("PH2003", source);

    [Theory]
    [InlineData("void M() { var a = arrays.Rent(10); try { Consume(1); arrays.Return(a); } catch { arrays.Return(a); throw; } }")]
    [InlineData(
        "void M() { var a = arrays.Rent(10); var done = false; try { arrays.Return(a); done = true; Consume(1); } finally { if " +
        "(!done) arrays.Return(a); } }")]
    [InlineData(
        "void M() { byte[]? a = arrays.Rent(10); try { arrays.Return(a); a = null; Consume(1); } finally { if (a != null) " +
        "arrays.Return(a); } }")]
    public Task A_handler_that_only_runs_without_the_first_return_is_left_alone(string source) => Expect.NothingAsync(source);
}
