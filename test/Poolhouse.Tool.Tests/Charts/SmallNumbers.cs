namespace Poolhouse.Tool.Tests.Charts;

/// <summary>A number that is not zero is not shown as zero.</summary>
public sealed class SmallNumbers
{
    [Theory]
    [InlineData(0.001, "0.001")]
    [InlineData(0.0166, "0.0166")]
    [InlineData(0.5, "0.5")]
    [InlineData(0, "0")]
    public void Digits_show_what_differs_from_zero(double value, string text) => Assert.Equal(text, Units.Digits(value));

    [Theory]
    [InlineData(0.0012, "0.0012×")]
    [InlineData(0.36, "0.36×")]
    [InlineData(0, "0.00×")]
    public void Ratios_show_what_differs_from_zero(double value, string text) => Assert.Equal(text, Units.Ratio(value));
}
