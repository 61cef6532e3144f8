namespace Poolhouse.Analyzers.Tests.Fixes;

public sealed class ReturnFixes
{
    private const string ReturnUnderComment =
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                var read = source.Read(array, 0, 16);

                // The content is not needed any more.
                arrays.Return(array);
                return read;
            }
        """;

    [Fact]
    public Task A_second_return_is_removed() => Fixing.ExpectAsync(
        "PH2001",
        """
            public void Clear()
            {
                var array = arrays.Rent(16);
                array[0] = 1;
                arrays.Return(array);
                arrays.Return(array);
            }
        """,
        """
            public void Clear()
            {
                var array = arrays.Rent(16);
                array[0] = 1;
                arrays.Return(array);
            }
        """);

    [Fact]
    public Task A_comment_above_the_second_return_is_kept() => Fixing.ExpectAsync(
        "PH2001",
        """
            public void Clear()
            {
                var array = arrays.Rent(16);
                arrays.Return(array);
                // Done.
                arrays.Return(array);
                Consume(null);
            }
        """,
        """
            public void Clear()
            {
                var array = arrays.Rent(16);
                arrays.Return(array);
                // Done.
                Consume(null);
            }
        """);

    [Fact]
    public Task A_return_by_hand_under_a_lease_is_removed() => Fixing.ExpectAsync(
        "PH1011",
        """
            public void Append()
            {
                using var lease = tiered.Rent();
                lease.Value.Append('x');
                tiered.Return(lease.Value);
            }
        """,
        """
            public void Append()
            {
                using var lease = tiered.Rent();
                lease.Value.Append('x');
            }
        """);

    [Fact]
    public Task A_return_in_try_and_finally_remains_in_finally() => Fixing.ExpectAsync(
        "PH2003",
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                try
                {
                    var read = source.Read(array, 0, 16);
                    arrays.Return(array);
                    return read;
                }
                finally
                {
                    arrays.Return(array);
                }
            }
        """,
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                try
                {
                    var read = source.Read(array, 0, 16);
                    return read;
                }
                finally
                {
                    arrays.Return(array);
                }
            }
        """);

    [Fact]
    public Task A_return_in_try_and_catch_moves_to_finally() => Fixing.ExpectAsync(
        "PH2003",
        """
            public int Read(Stream source, Stream target)
            {
                var array = arrays.Rent(16);
                try
                {
                    var read = source.Read(array, 0, 16);
                    arrays.Return(array);
                    target.Flush();
                    return read;
                }
                catch
                {
                    arrays.Return(array);
                    throw;
                }
            }
        """,
        """
            public int Read(Stream source, Stream target)
            {
                var array = arrays.Rent(16);
                try
                {
                    var read = source.Read(array, 0, 16);
                    target.Flush();
                    return read;
                }
                finally
                {
                    arrays.Return(array);
                }
            }
        """);

    [Fact]
    public Task A_return_at_the_end_moves_to_a_finally_block() => Fixing.ExpectAsync(
        "PH2006",
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                var read = source.Read(array, 0, 16);
                arrays.Return(array);
                return read;
            }
        """,
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                try
                {
                    var read = source.Read(array, 0, 16);
                    return read;
                }
                finally
                {
                    arrays.Return(array);
                }
            }
        """,
        "Return it in a finally block");

    [Fact]
    public Task An_array_that_is_never_returned_gets_a_finally_block() => Fixing.ExpectAsync(
        "PH2005",
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                return source.Read(array, 0, 16);
            }
        """,
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                try
                {
                    return source.Read(array, 0, 16);
                }
                finally
                {
                    arrays.Return(array);
                }
            }
        """,
        "Return it in a finally block");

    [Fact]
    public Task An_array_that_is_never_returned_is_rented_with_a_lease() => Fixing.ExpectAsync(
        "PH2005",
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                return source.Read(array, 0, 16);
            }
        """,
        """
            public int Read(Stream source)
            {
                using var arrayLease = TieredArrayPool<byte>.Shared.RentExact(16);
                var array = arrayLease.Segment.Array!;
                return source.Read(array, 0, 16);
            }
        """,
        "Rent it with a lease");

    [Fact]
    public Task References_are_cleared() => Fixing.ExpectAsync(
        "PH2008",
        """
            public void Keep(object item)
            {
                var array = ArrayPool<object>.Shared.Rent(16);
                array[0] = item;
                ArrayPool<object>.Shared.Return(array);
            }
        """,
        """
            public void Keep(object item)
            {
                var array = ArrayPool<object>.Shared.Rent(16);
                array[0] = item;
                ArrayPool<object>.Shared.Return(array, clearArray: true);
            }
        """);

    [Fact]
    public Task A_return_under_a_condition_is_not_moved_to_finally() => Fixing.ExpectNoneAsync(
        "PH2003",
        """
            public byte[]? Read(Stream source, Stream target)
            {
                var array = arrays.Rent(16);
                try
                {
                    if (source.Read(array, 0, 16) == 0)
                    {
                        arrays.Return(array);
                        target.Flush();
                        return null;
                    }

                    return array;
                }
                catch
                {
                    arrays.Return(array);
                    throw;
                }
            }
        """);

    [Fact]
    public Task A_return_before_a_later_use_is_not_moved_to_finally() => Fixing.ExpectNoneAsync(
        "PH2003",
        """
            public void Read(Stream source, Stream target)
            {
                var array = arrays.Rent(16);
                try
                {
                    target.Write(array, 0, source.Read(array, 0, 16));
                    arrays.Return(array);
                    target.Flush();
                    array = arrays.Rent(32);
                }
                catch
                {
                    arrays.Return(array);
                    throw;
                }

                arrays.Return(array);
            }
        """);

    [Fact]
    public Task A_comment_above_the_return_moves_to_finally_with_it() => Fixing.ExpectAsync(
        "PH2006",
        ReturnUnderComment,
        """
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                try
                {
                    var read = source.Read(array, 0, 16);
                    return read;
                }
                finally
                {
                    // The content is not needed any more.
                    arrays.Return(array);
                }
            }
        """,
        "Return it in a finally block");

    [Fact]
    public Task A_comment_above_the_return_stays_when_a_lease_replaces_it() => Fixing.ExpectAsync(
        "PH2006",
        ReturnUnderComment,
        """
            public int Read(Stream source)
            {
                using var arrayLease = TieredArrayPool<byte>.Shared.RentExact(16);
                var array = arrayLease.Segment.Array!;
                var read = source.Read(array, 0, 16);

                // The content is not needed any more.
                return read;
            }
        """,
        "Rent it with a lease");

    [Theory]
    [InlineData("", "builders.Return(builder); builder = null!;")]
    [InlineData("", "var same = builder; builders.Return(same);")]
    [InlineData("Log();", "builders.Return(builder); static void Log() => Console.WriteLine();")]
    [InlineData("", "var pool = builders; pool.Return(builder);")]
    public Task A_return_that_a_finally_block_cannot_make_is_not_moved(string before, string after) => Fixing.ExpectNoneAsync(
        "PH2006",
        $$"""
            public void Read(Stream source)
            {
                {{before}}
                var builder = builders.Get();
                builder.Append(source.ReadByte());
                {{after}}
            }
        """);

    [Theory]
    [InlineData("true")]
    [InlineData("clearArray: true")]
    [InlineData("clearArray: read > 0")]
    public Task A_lease_does_not_replace_a_return_that_clears_the_array(string clear) => Fixing.ExpectNoneAsync(
        "PH2006",
        $$"""
            public int Read(Stream source)
            {
                var array = arrays.Rent(16);
                var read = source.Read(array, 0, 16);
                arrays.Return(array, {{clear}});
                return read;
            }
        """,
        "Rent it with a lease");

    [Fact]
    public Task An_array_of_an_object_pool_is_not_rented_with_a_lease() => Fixing.ExpectNoneAsync(
        "PH2005",
        """
            public int Read(Stream source, ObjectPool<byte[]> pool)
            {
                var array = pool.Get();
                return source.Read(array, 0, 16);
            }
        """,
        "Rent it with a lease");

    [Fact]
    public Task A_lease_has_a_name_of_its_own_and_no_name_for_its_length() => Fixing.ExpectAsync(
        "PH2005",
        """
            public int Read(Stream source, int arrayLease)
            {
                var array = arrays.Rent(minimumLength: arrayLease);
                return source.Read(array, 0, arrayLease);
            }
        """,
        """
            public int Read(Stream source, int arrayLease)
            {
                using var arrayLease2 = TieredArrayPool<byte>.Shared.RentExact(arrayLease);
                var array = arrayLease2.Segment.Array!;
                return source.Read(array, 0, arrayLease);
            }
        """,
        "Rent it with a lease");

    [Theory]
    [InlineData("if (source.Read(array, 0, 16) == 16) { return array; }", "")]
    [InlineData("source.ReadExactly(array, 0, 16);", "catch (IOException) { return array; }")]
    public Task A_return_beside_one_that_passes_the_item_on_is_not_moved_to_finally(string before, string handler) =>
        Fixing.ExpectNoneAsync(
            "PH2003",
            $$"""
                public byte[]? Read(Stream source, Stream target)
                {
                    var array = arrays.Rent(16);
                    try
                    {
                        {{before}}
                        arrays.Return(array);
                        target.Flush();
                        return null;
                    }
                    {{handler}}
                    catch
                    {
                        arrays.Return(array);
                        throw;
                    }
                }
            """);

    [Theory]
    [InlineData("if (source.Read(array, 0, 16) == 0) { arrays.Return(array); array = null; return; }")]
    [InlineData("source.ReadExactly(array, 0, 16); arrays.Return(array); array = arrays.Rent(32);")]
    public Task A_return_before_an_assignment_is_not_left_to_finally(string before) => Fixing.ExpectNoneAsync(
        "PH2003",
        $$"""
            public void Read(Stream source, Stream target)
            {
                byte[]? array = arrays.Rent(16);
                try
                {
                    {{before}}
                    target.Write(array, 0, 16);
                    arrays.Return(array);
                }
                finally
                {
                    if (array != null)
                    {
                        arrays.Return(array);
                    }
                }
            }
        """);

    [Fact]
    public Task A_return_after_a_loop_that_breaks_moves_to_finally() => Fixing.ExpectAsync(
        "PH2003",
        """
            public void Read(Stream source, Stream target)
            {
                var array = arrays.Rent(16);
                try
                {
                    while (true)
                    {
                        if (source.Read(array, 0, 16) == 0)
                        {
                            break;
                        }
                    }

                    arrays.Return(array);
                    target.Flush();
                }
                catch (IOException)
                {
                    arrays.Return(array);
                    Consume(null);
                }
            }
        """,
        """
            public void Read(Stream source, Stream target)
            {
                var array = arrays.Rent(16);
                try
                {
                    while (true)
                    {
                        if (source.Read(array, 0, 16) == 0)
                        {
                            break;
                        }
                    }
                    target.Flush();
                }
                catch (IOException)
                {
                    Consume(null);
                }
                finally
                {
                    arrays.Return(array);
                }
            }
        """);

    [Theory]
    [InlineData("ReadOnlySpan<byte> M() { var array = arrays.Rent(16); array[0] = 1; return array.AsSpan(0, 4); }")]
    [InlineData("Task<int> M(Stream source) { var array = arrays.Rent(16); return source.ReadAsync(array, 0, 16); }")]
    public Task An_array_that_leaves_the_method_is_not_returned(string source) => Fixing.ExpectNoneAsync("PH2005", source);
}
