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
}
