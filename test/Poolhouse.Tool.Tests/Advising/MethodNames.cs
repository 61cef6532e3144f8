using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>The methods in stacks, as their source names them.</summary>
public sealed class MethodNames
{
    [Theory]
    [InlineData("Shop.Orders.Save(class System.String)", "Shop.Orders.Save")]
    [InlineData("Shop.Orders+<SaveAsync>d__4.MoveNext()", "Shop.Orders.SaveAsync")]
    [InlineData("Shop.Orders..ctor()", "Shop.Orders.new")]
    [InlineData("Shop.Orders`1[System.__Canon].Save(!0)", "Shop.Orders.Save")]
    [InlineData("Program+<>c.<<Main>$>b__0_3(class System.String)", "Program.Main (lambda 4)")]
    [InlineData("Program+<>c+<<<Main>$>b__0_1>d.MoveNext()", "Program.Main (lambda 2)")]
    [InlineData("Program+<>c__DisplayClass0_0.<<Main>$>b__2()", "Program.Main (lambda 3)")]
    [InlineData("Program.<<Main>$>g__Handle|0_4(int32)", "Program.Main.Handle")]
    [InlineData("Program+<<<Main>$>g__HandleAsync|0_4>d.MoveNext()", "Program.Main.HandleAsync")]
    [InlineData("Shop.Jobs.<Run>b__5_0(class System.Object)", "Shop.Jobs.Run (lambda 1)")]
    public void The_method_is_named_without_what_the_compiler_adds(string frame, string name) =>
        Assert.Equal(name, Frames.NameOf(frame));
}
