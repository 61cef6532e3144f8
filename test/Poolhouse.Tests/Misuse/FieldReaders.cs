using System.Globalization;
using System.Reflection;
using System.Reflection.Emit;
using Poolhouse.Caching.Misuse;

namespace Poolhouse.Tests.Misuse;

/// <summary>Both ways to read the fields of an object notice the same changes.</summary>
public sealed class FieldReaders
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;

    public static MatrixTheoryData<bool, string> Fields { get; } =
        new([true, false], typeof(Sample).GetFields(Any).Select(static each => each.Name));

    [Theory]
    [MemberData(nameof(Fields))]
    public void A_change_of_any_field_is_detected(bool compiles, string field)
    {
        var reader = FieldReader.For(typeof(Derived), compiles);
        var item = new Derived();
        var copy = reader.Copy(item);
        Assert.True(reader.IsSame(item, copy));

        Change(item, typeof(Sample).GetField(field, Any)!);

        Assert.False(reader.IsSame(item, copy));
        Assert.True(reader.IsSame(item, reader.Copy(item)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_struct_is_not_compared_and_no_code_of_the_item_runs(bool compiles)
    {
        var reader = FieldReader.For(typeof(Derived), compiles);
        var item = new Derived { Reference = new Hostile() };
        var copy = reader.Copy(item);
        item.Price = 2;

        Assert.True(reader.IsSame(item, copy));
    }

    // A library has a field for an optional dependency that the application does not deploy.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_field_whose_type_cannot_be_loaded_is_not_compared(bool compiles)
    {
        var module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Library"), AssemblyBuilderAccess.Run)
            .DefineDynamicModule("Library");
        var library = module.DefineType("Item", TypeAttributes.Public);
        library.DefineField("_optional", module.DefineType("NotDeployed"), FieldAttributes.Private);
        library.DefineField("Number", typeof(int), FieldAttributes.Public);
        var type = library.CreateType();
        Assert.ThrowsAny<Exception>(() => type.GetField("_optional", Any)!.FieldType);

        var reader = FieldReader.For(type, compiles);
        var item = Activator.CreateInstance(type)!;
        var copy = reader.Copy(item);
        Assert.True(reader.IsSame(item, copy));

        type.GetField("Number")!.SetValue(item, 1);

        Assert.False(reader.IsSame(item, copy));
    }

    [Fact]
    public void A_number_that_is_not_one_is_equal_to_itself()
    {
        var reader = FieldReader.For(typeof(Derived));
        var item = new Derived { Double = double.NaN };

        Assert.True(reader.IsSame(item, reader.Copy(item)));
    }

    private static void Change(object item, FieldInfo field)
    {
        var type = field.FieldType;
        object changed = !type.IsValueType ? (type == typeof(string) ? "changed" : new object())
            : type.IsEnum ? Enum.ToObject(type, 1)
            : type == typeof(bool) ? true
            : type == typeof(char) ? 'a'
            : type == typeof(nint) ? (nint)1
            : type == typeof(nuint) ? (nuint)1
            : Convert.ChangeType(1, type, CultureInfo.InvariantCulture);
        field.SetValue(item, changed);
    }

#pragma warning disable CS0169, CS0649, CA1823, IDE0044, IDE0051 // Set and read by reflection.
    private class Sample
    {
        public double Double;
        public object? Reference;
        private bool _bool;
        private sbyte _sbyte;
        private byte _byte;
        private char _char;
        private short _short;
        private ushort _ushort;
        private int _int;
        private uint _uint;
        private long _long;
        private ulong _ulong;
        private float _float;
        private nint _nint;
        private nuint _nuint;
        private DayOfWeek _enum;
        private Tiny _tiny;
        private string? _text;
    }
#pragma warning restore CS0169, CS0649, CA1823, IDE0044, IDE0051

    private sealed class Derived : Sample
    {
        public decimal Price { get; set; }
    }

    private enum Tiny : byte
    {
        None = 0,
        One = 1,
    }

#pragma warning disable CA1065 // It throws because nothing may call it.
    private sealed class Hostile
    {
        public override bool Equals(object? obj) => throw new InvalidOperationException();

        public override int GetHashCode() => throw new InvalidOperationException();
    }
#pragma warning restore CA1065
}
