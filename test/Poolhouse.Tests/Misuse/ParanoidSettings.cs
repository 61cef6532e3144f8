using Poolhouse.Caching.Misuse;

namespace Poolhouse.Tests.Misuse;

/// <summary>The setting of the process turns every cache into a detector; an unusable value is named.</summary>
public sealed class ParanoidSettings
{
    [Theory]
    [InlineData(null, ParanoidMode.Off, 1)]
    [InlineData("", ParanoidMode.Off, 1)]
    [InlineData("0", ParanoidMode.Off, 1)]
    [InlineData("false", ParanoidMode.Off, 1)]
    [InlineData("1", ParanoidMode.Throw, 1)]
    [InlineData("True", ParanoidMode.Throw, 1)]
    [InlineData("throw", ParanoidMode.Throw, 1)]
    [InlineData(" Report ", ParanoidMode.Report, 1)]
    [InlineData("report/100", ParanoidMode.Report, 100)]
    [InlineData("1/1000000", ParanoidMode.Throw, 1_000_000)]
    public void A_valid_setting_is_read(string? text, ParanoidMode mode, int sampling)
    {
        Assert.True(ParanoidSetting.TryParse(text, out var setting));
        Assert.Equal(new ParanoidSetting(mode, sampling), setting);
    }

    [Theory]
    [InlineData("yes")]
    [InlineData("2")]
    [InlineData("report/")]
    [InlineData("report/0")]
    [InlineData("report/1000001")]
    [InlineData("report/-1")]
    [InlineData("/5/5")]
    public void An_invalid_setting_is_refused(string text) => Assert.False(ParanoidSetting.TryParse(text, out _));

    [Fact]
    public void An_option_overrides_the_setting_of_the_process()
    {
        Assert.Equal(new ParanoidSetting(ParanoidMode.Report, 7), ParanoidSetting.Of(ParanoidMode.Report, 7));
        Assert.False(ParanoidSetting.Of(ParanoidMode.Off, null).IsOn);
    }

    [Fact]
    public void An_undefined_mode_is_named()
    {
        var error = Assert.Throws<ArgumentException>(() => new StreamPool(new StreamPoolOptions { Paranoid = (ParanoidMode)9 }));
        Assert.Contains("Paranoid is 9; allowed: Default, Off, Report or Throw.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Handlers_are_notified_with_all_that_is_known_and_may_throw()
    {
        var reported = new TaskCompletionSource<PoolMisuseEventArgs>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var pool = new TieredArrayPool<int>(new ArrayPoolOptions { Name = "reported", Paranoid = ParanoidMode.Report });
        void Fail(object? sender, PoolMisuseEventArgs misuse) => throw new InvalidOperationException("must be ignored");
        void Note(object? sender, PoolMisuseEventArgs misuse)
        {
            if (string.Equals(misuse.PoolName, pool.Name, StringComparison.Ordinal))
            {
                reported.TrySetResult(misuse);
            }
        }

        PoolMisuse.Detected += Fail;
        PoolMisuse.Detected += Note;
        try
        {
            pool.Return(new int[16]);
            var misuse = await reported.Task;
            Assert.Contains(
                nameof(Handlers_are_notified_with_all_that_is_known_and_may_throw), misuse.ToString(), StringComparison.Ordinal);
            Assert.StartsWith(
                "Pool 'reported': an item was returned that the pool did not rent out. ", misuse.ToString(),
                StringComparison.Ordinal);
        }
        finally
        {
            PoolMisuse.Detected -= Fail;
            PoolMisuse.Detected -= Note;
        }
    }
}
